import { expect, test } from 'bun:test';
import { FakeClock } from '../controller/runtime/clock.fake.ts';
import { tokenBucket } from '../controller/runtime/rate.ts';
import { FairLimiter } from './fairlimiter.ts';

// hack/decisions/0028 W6

function setUp({ burst = 1, atOnce = 100 } = {}) {
  const clock = new FakeClock();
  const limiter = new FairLimiter({ limiter: tokenBucket({ clock, qps: 10, burst }), atOnce });
  const began: string[] = [];
  const ends: Array<() => void> = [];
  const run = (group: string, signal = new AbortController().signal) =>
    limiter.run([group], signal, async () => {
      began.push(group);
      await new Promise<void>((resolve) => ends.push(resolve));
      return group;
    });
  return { clock, run, began, ends };
}

test('a group of many takes no more turns than a group of one', async () => {
  const { clock, run, began } = setUp();
  for (let index = 0; index < 50; index++) void run('many');
  void run('one');
  await clock.advance(300);
  expect(began).toEqual(['many', 'one', 'many', 'many']);
});

test('no more work at once than may, and each end lets the next one work', async () => {
  const { clock, run, began, ends } = setUp({ burst: 10, atOnce: 2 });
  const all = ['a', 'b', 'c'].map((group) => run(group));
  await clock.advance(1_000);
  expect(began).toEqual(['a', 'b']);
  ends[0]?.();
  expect(await all[0]).toBe('a');
  await clock.advance(0);
  expect(began).toEqual(['a', 'b', 'c']);
});

test('who gives up while waiting rejects, and takes no turn', async () => {
  const { clock, run, began } = setUp();
  void run('first');
  const patience = new AbortController();
  const left = run('left', patience.signal);
  void run('next');
  await clock.advance(0);
  patience.abort(new Error('enough'));
  await expect(left).rejects.toThrow('enough');
  await clock.advance(100);
  expect(began).toEqual(['first', 'next']);
});

test('work that fails gives its place back', async () => {
  const clock = new FakeClock();
  const limiter = new FairLimiter({ limiter: tokenBucket({ clock, qps: 10, burst: 10 }), atOnce: 1 });
  const { signal } = new AbortController();
  await expect(limiter.run(['a'], signal, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await limiter.run(['a'], signal, async () => 'yes')).toBe('yes');
});
