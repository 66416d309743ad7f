import { expect, test } from 'bun:test';
import { FakeClock } from '../clock.fake.ts';
import { Pace } from './pace.ts';

// hack/decisions/0028 T92

/** How long one waits after each of so many lines that take so long, with so much time between them. */
async function rests({ lines, ms, everyMs }: { lines: number; ms: number; everyMs: number }): Promise<number[]> {
  const clock = new FakeClock();
  const pace = new Pace(clock);
  const all: number[] = [];
  for (let line = 0; line < lines; line++) {
    await clock.advance(everyMs);
    all.push(Math.round(pace.spent(ms)));
  }
  return all;
}

test('a server that takes its share of the event loop waits for nothing, and so does a burst', async () => {
  expect(new Set(await rests({ lines: 1_000, ms: 1, everyMs: 10 }))).toEqual(new Set([0]));
  expect(await rests({ lines: 4, ms: 250, everyMs: 0 })).toEqual([0, 0, 0, 0]);
});

test('one that takes more waits ten times as long as its lines take', async () => {
  expect(await rests({ lines: 6, ms: 250, everyMs: 0 })).toEqual([0, 0, 0, 0, 2_500, 5_000]);
});

test('a process that stood still in the middle of a line waits for no minutes', async () => {
  const clock = new FakeClock();
  const pace = new Pace(clock);
  for (let line = 0; line < 100; line++) pace.spent(3_600_000);
  expect(pace.spent(1)).toBe(10_000);
  await clock.advance(600_000);
  expect(pace.spent(1)).toBe(0);
});
