import { describe, expect, test } from 'bun:test';
import { FakeClock } from '../clock.fake.ts';
import { FakeLog } from '../observability/log.fake.ts';
import { createMetrics } from '../observability/metrics.ts';
import { runLoop } from './loop.ts';
import { loopMetrics } from './loopmetrics.ts';
import { type AddOptions, Queue } from './queue.ts';

/** hack/decisions/0028 R10: a number that is none is refused, and nothing is lost for it. */

test.each<[what: string, options: AddOptions]>([
  ['after', { after: Number.NaN }],
  ['priority', { priority: Number.NaN }],
])('a queue takes no NaN as %s, and hands out all others', async (_, options) => {
  const clock = new FakeClock();
  const queue = new Queue({ clock });
  queue.add('known', { after: 2_000 });
  expect(() => queue.add('bad', options)).toThrow('"bad" cannot be queued: after is ');
  expect(() => queue.add('known', options)).toThrow(RangeError);
  queue.add('good', { after: 1_000 });
  expect([queue.size, clock.pending]).toEqual([2, 1]);
  await clock.advance(5_000);
  expect([(await queue.get())?.key, (await queue.get())?.key]).toEqual(['good', 'known']);
});

describe('a pass that answers NaN', () => {
  const answers = [{ after: Number.NaN }, { after: Number.NaN, retry: true }];

  test.each(answers)('%o is one that failed: its key is looked at again', async (answer) => {
    const [clock, log, stop] = [new FakeClock(), new FakeLog(), new AbortController()];
    const metrics = createMetrics({ tables: [loopMetrics] });
    const queue = new Queue({ clock });
    let passes = 0;
    const reconcile = async () => (++passes < 3 ? answer : {});
    const random = { next: () => 0.5 };
    const parts = { name: 'test', workers: 1, queue, clock, random, log, metrics, signal: stop.signal };
    const ended = runLoop({ ...parts, priorityOf: () => Number.NaN, reconcile });
    queue.add('a');
    await clock.advance(10_000);
    expect(passes).toBe(3);
    expect(log.lines.map(({ message }) => message)).toEqual([
      'Reconcile failed',
      'Priority unknown',
      'Reconcile failed',
      'Priority unknown',
    ]);
    expect(String(log.lines[0]?.fields['error'])).toContain('the pass answered NaN for `after`');
    stop.abort();
    await ended;
  });
});
