/**
 * The lines of a stream, those of a chunk at a time. Throws when the stream ends within a line: then the connection
 * was cut. Leaving the loop early cancels the stream.
 */
export async function* linesOf(stream: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<string[]> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    if (lines.length > 0) yield lines;
  }
  if (rest !== '') throw new Error(`the stream ended within a line, after ${rest.length} characters of it`);
}
