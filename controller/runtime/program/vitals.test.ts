import { describe, expect, test } from 'bun:test';
import { FakeClock } from '../clock.fake.ts';
import { FakeLog } from '../observability/log.fake.ts';
import { createMetrics } from '../observability/metrics.ts';
import { runLoop } from '../queue/loop.ts';
import { loopMetrics } from '../queue/loopmetrics.ts';
import { Queue } from '../queue/queue.ts';
import { Vitals } from './vitals.ts';

/** hack/decisions/0028 R10: a process that can do its work no more says so, and is started anew. */
test('what is wrong is told as long as it is, and logged once', () => {
  const log = new FakeLog();
  const vitals = new Vitals(log);
  let wrong: string | undefined;
  vitals.watch(() => undefined);
  const unwatch = vitals.watch(() => wrong);
  expect(vitals.wrong()).toBeUndefined();
  wrong = 'loop machine: it hangs';
  expect([vitals.wrong(), vitals.wrong()]).toEqual([wrong, wrong]);
  wrong = undefined;
  expect(vitals.wrong()).toBeUndefined();
  wrong = 'it hangs again';
  vitals.watch(() => 'so does another');
  expect(vitals.wrong()).toBe('it hangs again; so does another');
  unwatch();
  expect(vitals.wrong()).toBe('so does another');
  expect(log.lines.map(({ fields }) => fields['why'])).toEqual([
    'loop machine: it hangs',
    'it hangs again',
    'so does another',
  ]);
});

describe('a loop of two workers', () => {
  function begin() {
    const clock = new FakeClock();
    const [queue, vitals, stop] = [new Queue({ clock }), new Vitals(new FakeLog()), new AbortController()];
    const ends: Array<() => void> = [];
    const reconcile = () => new Promise<object>((resolve) => ends.push(() => resolve({})));
    const metrics = createMetrics({ tables: [loopMetrics] });
    const parts = { clock, queue, metrics, log: new FakeLog(), random: { next: () => 0.5 }, watchedBy: vitals };
    const ended = runLoop({
      ...parts,
      name: 'machine',
      workers: 2,
      priorityOf: () => 0,
      reconcile,
      signal: stop.signal,
    });
    const end = () => {
      stop.abort();
      for (const one of ends) one();
      return ended;
    };
    return { clock, queue, vitals, ends, end };
  }

  test('stands still when a key is ready and both hang for ten minutes', async () => {
    const { clock, queue, vitals, ends, end } = begin();
    for (const key of ['a', 'b', 'c']) queue.add(key);
    await clock.advance(599_000);
    expect(vitals.wrong()).toBeUndefined();
    await clock.advance(1_000);
    expect(vitals.wrong()).toBe(
      'loop machine: for 600 s a key has been ready and no pass has begun or ended; 2 passes run',
    );
    ends.shift()?.();
    await clock.advance(0);
    expect(vitals.wrong()).toBeUndefined();
    await end();
  });

  test.each<[what: string, keys: string[]]>([
    ['there is nothing to do', []],
    ['all that there is to do is under way, however long it takes', ['a', 'b']],
  ])('does not when %s', async (_, keys) => {
    const { clock, queue, vitals, end } = begin();
    for (const key of keys) queue.add(key);
    await clock.advance(3_600_000);
    expect(vitals.wrong()).toBeUndefined();
    await end();
  });

  test('does not when it is slow, but goes on', async () => {
    const { clock, queue, vitals, ends, end } = begin();
    for (let n = 0; n < 20; n++) queue.add(`key-${n}`);
    for (let n = 0; n < 10; n++) {
      await clock.advance(500_000);
      expect(vitals.wrong()).toBeUndefined();
      ends.shift()?.();
    }
    await end();
  });

  test('that has ended tells nothing', async () => {
    const { clock, queue, vitals, end } = begin();
    for (const key of ['a', 'b', 'c']) queue.add(key);
    await clock.advance(0);
    await end();
    await clock.advance(3_600_000);
    expect(vitals.wrong()).toBeUndefined();
  });
});
