import { gunzipSync } from 'node:zlib';
import { type KubeObject, misfitOf, type Resource } from '../k8s/object.ts';
import { CacheAccount, type ClusterRoom } from '../memory/cacheroom.ts';
import { type Attempt, connectionError, errorOfStatus, type Status } from './errors.ts';

/** Most bytes of an answer, or of a line of one, once it is unpacked: what is longer than that is no API server's. */
export const MOST_BYTES = {
  /** An object; etcd keeps 1.5 MiB, which JSON may write longer. */
  object: 4 << 20,
  /** The namespace by which clusters are known. */
  identity: 512 << 10,
  /** A page of a list; what is parsed at once holds up everybody for as long. */
  page: 8 << 20,
  /** A line of a watch. */
  line: 4 << 20,
  /** Whatever else a server of the operator's says, as its metrics. */
  other: 32 << 20,
  /** Why a call is refused. */
  refusal: 64 << 10,
} as const;

/** An answer is longer than any that was asked for. */
export class AnswerTooLarge extends Error {
  readonly code = 'ERR_ANSWER_TOO_LARGE';

  constructor(most: number) {
    super(`more than ${Math.floor(most / 1024)} KiB came, the most that is read`);
    this.name = 'AnswerTooLarge';
  }
}

/** An answer cannot be read. */
export class AnswerUnreadable extends Error {
  readonly code = 'ERR_NO_JSON';

  /** @param is what ends the sentence; the parser's own words would quote the answer */
  constructor(is: string) {
    super(`the answer ${is}`);
    this.name = 'AnswerUnreadable';
  }
}

/** What is read of an answer. Bun must not have unpacked it, for that it does piece by piece, however large a piece becomes. */
type Answer = Pick<Response, 'body' | 'headers'>;

/**
 * The text of an answer, which may be packed by gzip. The connection is given up as soon as more than `most` bytes came, and a packed
 * answer unpacked no further than that. Throws AnswerTooLarge, AnswerUnreadable, or what the connection breaks with.
 * @param room where what came counts until all of it is there; what it refuses is too large, too
 */
export async function textWithin({ body, headers }: Answer, most: number, room?: ClusterRoom): Promise<string> {
  const { bytes, isWhole } = await read(body, most, room);
  if (!isWhole) throw new AnswerTooLarge(Math.min(most, bytes.length));
  return decode(unpacked(bytes, headers.get('content-encoding'), most));
}

/** The first `most` bytes of an answer that is not needed whole; empty for a compressed one, which was not asked for. */
export async function beginningWithin({ body, headers }: Answer, most: number): Promise<string> {
  const { bytes } = await read(body, most);
  return isPlain(headers.get('content-encoding')) ? decode(bytes.subarray(0, most)) : '';
}

/** The value of an answer in JSON; throws as `textWithin` does, or AnswerUnreadable. */
export async function jsonWithin<V>(answer: Answer, most: number, room?: ClusterRoom): Promise<V> {
  const text = await textWithin(answer, most, room);
  try {
    return JSON.parse(text) as V;
  } catch {
    throw new AnswerUnreadable('is not JSON');
  }
}

async function read(
  body: Response['body'],
  most: number,
  room?: ClusterRoom,
): Promise<{ bytes: Buffer; isWhole: boolean }> {
  const chunks: Uint8Array[] = [];
  const underway = new Underway(room);
  let count = 0;
  try {
    for await (const chunk of body ?? []) {
      chunks.push(chunk);
      count += chunk.length;
      // Leaving the loop cancels the stream.
      if (count > most || underway.isTooMuch(count)) return { bytes: Buffer.concat(chunks), isWhole: false };
    }
    return { bytes: Buffer.concat(chunks), isWhole: true };
  } finally {
    underway.end();
  }
}

const isPlain = (encoding: string | null): boolean => encoding === null || encoding === 'identity';

function unpacked(bytes: Buffer, encoding: string | null, most: number): Uint8Array {
  if (isPlain(encoding)) return bytes;
  if (encoding !== 'gzip') throw new AnswerUnreadable('is packed in a way that was not asked for');
  try {
    return gunzipSync(bytes, { maxOutputLength: most });
  } catch (error) {
    if ((error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE') throw new AnswerTooLarge(most);
    throw new AnswerUnreadable('cannot be unpacked');
  }
}

const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** Bytes of an answer, or of a line, that anybody may have under way: whoever is refused more asks for smaller pages (listing.ts). */
const FREE = 64 << 10;

/** Counts what came of one answer, or of a line, that is not whole yet: whoever sends it may never end it. */
export class Underway {
  readonly #account: CacheAccount | undefined;

  /** @param room of the cluster; absent for servers that are trusted */
  constructor(room: ClusterRoom | undefined) {
    this.#account = room && new CacheAccount(room);
  }

  /** So many bytes are there now; answers whether that is more than there is room for. */
  isTooMuch(bytes: number): boolean {
    const account = this.#account;
    return account?.grow(Math.max(0, bytes - FREE) - account.used) !== undefined;
  }

  /** It is whole, or given up. */
  end(): void {
    this.#account?.grow(-this.#account.used);
  }
}

/** An event of a watch as it comes over the wire (metav1 WatchEvent). */
export interface RawWatchEvent<T extends KubeObject = KubeObject> {
  type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';
  object: T;
}

/** The event in a line of a watch. Throws an ApiError for an ERROR that the server sends, and for what is no event of the resource. */
export function readEvent<T extends KubeObject>(watch: Attempt, line: string, resource: Resource<T>): RawWatchEvent<T> {
  const event = parse(watch, line) as RawWatchEvent<T> | { type: 'ERROR'; object: Status };
  switch (event?.type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
    case 'BOOKMARK':
      try {
        return { ...event, object: ofKind(event.object, resource) };
      } catch (error) {
        throw connectionError(watch, error);
      }
    case 'ERROR':
      throw errorOfStatus(watch, event.object);
    default:
      throw connectionError(watch, new Error(`not an event of a watch: ${line.slice(0, 100)}`));
  }
}

/**
 * The object, if what is read of it is of the types that its kind has, else throws an Error that names the field: an API server that is somebody
 * else's may send anything (hack/decisions/0028 T90).
 */
export function ofKind<T>(object: T, resource: Pick<Resource, 'shape' | 'kind'>): T {
  const misfit = misfitOf(object, resource);
  if (misfit === undefined) return object;
  const what = misfit && `: its ${misfit} is of another type, or too long`;
  throw new Error(`it answers with a ${resource.kind} of which no API server has the like${what}`);
}

/** What a deletion is answered with: the object, or undefined for a Status in its place. */
export const ofKindOrStatus = <T extends KubeObject>(
  answer: T,
  resource: Pick<Resource, 'shape' | 'kind'>,
): T | undefined => (answer?.kind === 'Status' ? undefined : ofKind(answer, resource));

function parse(watch: Attempt, line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw connectionError(watch, error);
  }
}

/** Any other answer: what is JSON is parsed, all else is text. */
export function contentOf(response: Response): Promise<unknown> {
  const isJson = response.headers.get('content-type')?.includes('json');
  return isJson ? jsonWithin(response, MOST_BYTES.other) : textWithin(response, MOST_BYTES.other);
}
