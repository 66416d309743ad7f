/** Most bytes of an answer, or of a line of one, once it is unpacked: what is longer than that is no API server's. */
export const MOST_BYTES = {
  /** An object; etcd keeps 1.5 MiB, which JSON may write longer. */
  object: 8 << 20,
  /** A page of a list; what is parsed at once holds up everybody for as long. */
  page: 32 << 20,
  /** A line of a watch. */
  line: 8 << 20,
  /** Why a call is refused. */
  refusal: 64 << 10,
} as const;

/** An answer is longer than any that was asked for. */
export class AnswerTooLarge extends Error {
  readonly code = 'ERR_ANSWER_TOO_LARGE';

  constructor(most: number) {
    super(`more than ${most / 1024} KiB came, the most that is read`);
    this.name = 'AnswerTooLarge';
  }
}

/** An answer that was to be JSON is none. */
export class AnswerUnreadable extends Error {
  readonly code = 'ERR_NO_JSON';

  constructor() {
    // The parser's words would quote the answer.
    super('the answer is no JSON');
    this.name = 'AnswerUnreadable';
  }
}

/**
 * The text of an answer. A packed one is unpacked piece by piece, and no further than that: the connection is given up as soon as
 * more than `most` bytes came. Throws AnswerTooLarge, or what the connection breaks with.
 */
export async function textWithin({ body }: Pick<Response, 'body'>, most: number): Promise<string> {
  const { bytes, isWhole } = await read(body, most);
  if (!isWhole) throw new AnswerTooLarge(most);
  return decode(bytes);
}

/** The beginning of an answer that nobody needs whole, `most` bytes of it. */
export const beginningWithin = async ({ body }: Pick<Response, 'body'>, most: number): Promise<string> =>
  decode((await read(body, most)).bytes.subarray(0, most));

/** The value of an answer in JSON; throws as `textWithin` does, or AnswerUnreadable. */
export async function jsonWithin<V>(response: Pick<Response, 'body'>, most: number): Promise<V> {
  const text = await textWithin(response, most);
  try {
    return JSON.parse(text) as V;
  } catch {
    throw new AnswerUnreadable();
  }
}

async function read(body: Response['body'], most: number): Promise<{ bytes: Buffer; isWhole: boolean }> {
  const chunks: Uint8Array[] = [];
  let count = 0;
  for await (const chunk of body ?? []) {
    chunks.push(chunk);
    count += chunk.length;
    // Leaving the loop cancels the stream.
    if (count > most) return { bytes: Buffer.concat(chunks), isWhole: false };
  }
  return { bytes: Buffer.concat(chunks), isWhole: true };
}

const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
