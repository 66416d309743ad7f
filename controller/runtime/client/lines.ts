import type { ClusterRoom } from '../room/cacheroom.ts';
import { AnswerTooLarge, MOST_BYTES } from './answers.ts';
import { Underway } from './underway.ts';

/** How long a line may be. */
export interface LineBounds {
  /** Characters. */
  most?: number;
  /** Where what came of a line counts until it is whole; what it refuses is too long, too. */
  room?: ClusterRoom | undefined;
}

/**
 * The lines of a stream, those of a chunk at a time. Throws when the stream ends within a line: then the connection was cut; and
 * when a line is longer than `most` characters. Leaving the loop early cancels the stream. A line costs what it is long,
 * however many chunks it comes in.
 */
export async function* linesOf(
  stream: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  { most = MOST_BYTES.line, room }: LineBounds = {},
): AsyncGenerator<string[]> {
  const decoder = new TextDecoder();
  let begun: string[] = [];
  let length = 0;
  const underway = new Underway(room);
  try {
    for await (const chunk of stream) {
      const [first = '', ...others] = decoder.decode(chunk, { stream: true }).split('\n');
      begun.push(first);
      length += first.length;
      if (length > most || underway.isTooMuch(length)) throw new AnswerTooLarge(Math.min(most, length));
      const rest = others.pop();
      if (rest === undefined) continue;
      underway.end();
      yield [begun.join(''), ...others];
      begun = [rest];
      length = rest.length;
    }
  } finally {
    underway.end();
  }
  if (length > 0) throw new Error(`the stream ended within a line, after ${length} characters of it`);
}
