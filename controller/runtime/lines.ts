import { AnswerTooLarge, MOST_BYTES } from './answers.ts';

/**
 * The lines of a stream, those of a chunk at a time. Throws when the stream ends within a line: then the connection was cut; and
 * when a line is longer than `most` characters. Leaving the loop early cancels the stream. A line costs what it is long,
 * however many chunks it comes in.
 */
export async function* linesOf(
  stream: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  most: number = MOST_BYTES.line,
): AsyncGenerator<string[]> {
  const decoder = new TextDecoder();
  let begun: string[] = [];
  let length = 0;
  for await (const chunk of stream) {
    const [first = '', ...others] = decoder.decode(chunk, { stream: true }).split('\n');
    begun.push(first);
    length += first.length;
    if (length > most) throw new AnswerTooLarge(most);
    const rest = others.pop();
    if (rest === undefined) continue;
    yield [begun.join(''), ...others];
    begun = [rest];
    length = rest.length;
  }
  if (length > 0) throw new Error(`the stream ended within a line, after ${length} characters of it`);
}
