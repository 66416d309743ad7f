import { expect, test } from 'bun:test';
import { slowStart, tryAll } from './batches.ts';

test('batches double, and each runs at once', async () => {
  const batches: number[] = [];
  let running = 0;
  await slowStart(Array.from({ length: 12 }), async () => {
    running += 1;
    await Promise.resolve();
    if (running > 0) batches.push(running);
    running = 0;
  });
  expect(batches).toEqual([1, 2, 4, 5]);
});

test('the first batch with a failure is the last', async () => {
  const done: number[] = [];
  const run = slowStart([1, 2, 3, 4, 5, 6, 7, 8], async (item) => {
    if (item === 2) throw new Error('two failed');
    done.push(item);
  });
  expect(run).rejects.toThrow('two failed');
  await run.catch(() => {});
  expect(done).toEqual([1, 3]);
});

test('each of them is tried, and those that failed are told (hack/decisions/0051 S6)', async () => {
  const done: number[] = [];
  const items = Array.from({ length: 40 }, (_, index) => index);
  const failures = await tryAll(items, async (item) => {
    if (item % 20 === 0) throw new Error(`${item} failed`);
    done.push(item);
  });
  expect(failures.map(({ item, error }) => [item, (error as Error).message])).toEqual([
    [0, '0 failed'],
    [20, '20 failed'],
  ]);
  expect(done).toHaveLength(38);
});

test('nothing to do is done at once', () => slowStart([], async () => expect.unreachable()));
