import { FakeClock } from '../clock.fake.ts';
import { FakeLog } from '../observability/log.fake.ts';
import { createMetrics } from '../observability/metrics.ts';
import { type LoopOptions, runLoop } from './loop.ts';
import { loopMetrics } from './loopmetrics.ts';
import { Queue } from './queue.ts';

/** A running loop whose passes do what `reconcile` says, and what is seen of it. */
export function loopOf(reconcile: LoopOptions['reconcile'], more: Partial<LoopOptions> & { clock?: FakeClock } = {}) {
  const { clock = new FakeClock(), queue = new Queue({ clock }), ...options } = more;
  const log = new FakeLog();
  const metrics = createMetrics({ tables: [loopMetrics] });
  const stop = new AbortController();
  const passes: string[] = [];
  const at0 = clock.now();
  const ended = runLoop({
    name: 'machine',
    workers: 2,
    queue,
    clock,
    random: { next: () => 0.5 },
    log,
    metrics,
    priorityOf: () => 0,
    reconcile: (key, signal) => {
      passes.push(`${key}@${clock.now() - at0}`);
      return reconcile(key, signal);
    },
    signal: stop.signal,
    ...options,
  });
  const metricLines = async (prefix: string) =>
    (await metrics.text()).split('\n').filter((line) => line.startsWith(prefix));
  return { clock, queue, log, passes, ended, metricLines, stop: () => stop.abort() };
}
