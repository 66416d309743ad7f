import { expect, test } from 'bun:test';
import { CacheRoom } from '../memory/cacheroom.ts';
import { textWithin } from './answers.ts';
import { linesOf } from './transport.ts';

// hack/decisions/0028 T16: answers and lines that hold what came of them, and never end.

const MIB = 1 << 20;
const KIB = 1 << 10;

const rooms = () => new CacheRoom({ all: 8 * MIB, each: 8 * MIB, shared: true });

/** An answer of which so many bytes come at once, and the rest when it is let go. */
function begun(bytes: number) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const body = new ReadableStream<Uint8Array>({
    async start(told) {
      told.enqueue(new Uint8Array(bytes).fill(32));
      await promise;
      told.close();
    },
  });
  return { answer: { body, headers: new Headers() }, end: resolve };
}

const turns = async () => {
  for (let turn = 0; turn < 50; turn++) await Promise.resolve();
};

test('answers of one party that are under way have half of the room, and small ones always come', async () => {
  const all = rooms();
  const begin = (party: string, bytes: number) => {
    const { answer, end } = begun(bytes);
    return { end, text: textWithin(answer, 8 * MIB, all.open(party)).catch((error: Error) => error) };
  };
  const held = [begin('farm', 2 * MIB), begin('farm', 2 * MIB)];
  await turns();
  expect(all.taken).toBe(4 * MIB - 128 * KIB);
  expect(await begin('farm', MIB).text).toMatchObject({ code: 'ERR_ANSWER_TOO_LARGE' });
  const others = [begin('farm', 60 * KIB), begin('mill', MIB)];
  await turns();
  for (const { end } of [...held, ...others]) end();
  const lengths = await Promise.all([...held, ...others].map(async ({ text }) => String(await text).length));
  expect(lengths).toEqual([2 * MIB, 2 * MIB, 60 * KIB, MIB]);
  expect(all.taken).toBe(0);
});

test('a line that is under way counts until it is whole', async () => {
  const all = rooms();
  const taken: number[] = [];
  async function* chunks() {
    yield new Uint8Array(MIB).fill(32);
    taken.push(all.taken);
    yield new Uint8Array([10]);
    taken.push(all.taken);
    yield new Uint8Array(5 * MIB).fill(32);
  }
  const read = async () => {
    for await (const lines of linesOf(chunks(), { room: all.open('farm'), most: 8 * MIB }))
      expect(lines).toHaveLength(1);
  };
  await expect(read()).rejects.toMatchObject({ code: 'ERR_ANSWER_TOO_LARGE' });
  expect([...taken, all.taken]).toEqual([MIB - 64 * KIB, 0, 0]);
});
