import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { linesOf } from './transport.ts';

async function* streamOf(...chunks: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

async function read(...chunks: Uint8Array[]): Promise<string[]> {
  const lines: string[] = [];
  for await (const some of linesOf(streamOf(...chunks))) lines.push(...some);
  return lines;
}

test('lines are the same wherever the chunks are cut, within a character too', async () => {
  const cuts = fc.array(fc.nat(60), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.string({ unit: 'grapheme', maxLength: 10 })), cuts, async (texts, cuts) => {
      const lines = texts.map((text) => text.replaceAll('\n', ' '));
      const bytes = new TextEncoder().encode(lines.map((line) => `${line}\n`).join(''));
      const ends = [...cuts, bytes.length].sort((a, b) => a - b);
      const chunks = ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
      expect(await read(...chunks)).toEqual(lines);
    }),
  );
});

test('a stream that ends within a line is an error', async () => {
  const bytes = new TextEncoder().encode('{"a":1}\n{"b"');
  await expect(read(bytes)).rejects.toThrow('ended within a line, after 4 characters');
});

// hack/decisions/0028 W8
test('a line without an end is given up', async () => {
  async function* endless(): AsyncGenerator<Uint8Array> {
    for (;;) yield new Uint8Array(1 << 16).fill(97);
  }
  const read = async () => {
    for await (const lines of linesOf(endless(), { most: 1 << 20 })) expect(lines).toEqual([]);
  };
  await expect(read()).rejects.toThrow('more than 1024 KiB came');
});

test('a line in a hundred thousand chunks is decoded once', async () => {
  const chunk = new TextEncoder().encode('wool');
  const chunks = [...Array<Uint8Array>(100_000).fill(chunk), new TextEncoder().encode('\nshorn\n')];
  expect((await read(...chunks)).map(({ length }) => length)).toEqual([400_000, 5]);
});
