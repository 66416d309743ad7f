import type { Clock } from '../clock.ts';
import type { Metrics, MetricTable } from '../observability/metrics.ts';
import { bands, type Queue, type QueueItem } from './queue.ts';

/** How a pass over a key ended: settled, to be looked at again later, to be retried, or thrown. */
export type PassOutcome = 'success' | 'after' | 'retry' | 'error';

/** Bounds in seconds, from a pass out of caches to one that hangs. */
const buckets = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300];

/** What loops and their queues tell; `mcm_workqueue_*` are MCM's (hack/spec/mcm.md 10.2). The label `name` is the loop's. */
export const loopMetrics = {
  mcm_workqueue_depth: { type: 'gauge', help: 'Keys that are ready and wait for a worker.', labels: ['name'] },
  mcm_workqueue_adds_total: { type: 'counter', help: 'How often a key became ready.', labels: ['name'] },
  mcm_workqueue_queue_duration_seconds: {
    type: 'histogram',
    help: 'How long keys were ready before a worker took them.',
    labels: ['name'],
    buckets,
  },
  mcm_workqueue_work_duration_seconds: {
    type: 'histogram',
    help: 'How long one pass over a key takes.',
    labels: ['name'],
    buckets,
  },
  mcm_workqueue_unfinished_work_seconds: {
    type: 'gauge',
    help: 'Age of all passes that run now, summed: grows while one hangs.',
    labels: ['name'],
  },
  mcm_workqueue_longest_running_processor_seconds: {
    type: 'gauge',
    help: 'Age of the oldest pass that runs now.',
    labels: ['name'],
  },
  mcm_workqueue_retries_total: { type: 'counter', help: 'Passes that are repeated with back-off.', labels: ['name'] },
  drover_workqueue_depth: {
    type: 'gauge',
    help: 'Keys that are ready, by band of priority: urgent (from 90), high (from 1), normal (from -10), low.',
    labels: ['name', 'band'],
  },
  drover_workqueue_oldest_ready_seconds: {
    type: 'gauge',
    help: 'For how long the oldest ready key has waited for a worker.',
    labels: ['name'],
  },
  drover_reconcile_total: {
    type: 'counter',
    help: 'Passes by how they ended: success, after (looked at again later), retry (with back-off), error (thrown).',
    labels: ['name', 'outcome'],
  },
} as const satisfies MetricTable;

/** Measures the passes of one loop. */
export interface Meter {
  /** A pass begins; call the answer when it has ended. */
  begin(item: QueueItem): (outcome: PassOutcome) => void;
  /** Keys of the passes that run. */
  running(): string[];
  /** For how long no pass has begun or ended, milliseconds. */
  stillMs(): number;
  /** No more is measured, and what was is forgotten: a loop of that name may never come again. */
  stop(): void;
}

/** A meter for the loop `name`. */
export function meterOf(parts: { name: string; queue: Queue; clock: Clock; metrics: Metrics }): Meter {
  const { name, clock, metrics } = parts;
  const labels = { name };
  const begun = new Map<string, number>();
  let movedAt = clock.monotonic();
  const seconds = (since: number) => (clock.monotonic() - since) / 1000;
  const stop = metrics.onScrape(collector(parts, () => [...begun.values()].map(seconds)));
  return {
    stop() {
      stop();
      forget(metrics, name);
    },
    running: () => [...begun.keys()],
    stillMs: () => clock.monotonic() - movedAt,
    begin({ key, waitedMs }) {
      metrics.observe('mcm_workqueue_queue_duration_seconds', waitedMs / 1000, labels);
      const at = clock.monotonic();
      begun.set(key, at);
      movedAt = at;
      return (outcome) => {
        metrics.observe('mcm_workqueue_work_duration_seconds', seconds(at), labels);
        metrics.count('drover_reconcile_total', { ...labels, outcome });
        if (outcome === 'retry' || outcome === 'error') metrics.count('mcm_workqueue_retries_total', labels);
        begun.delete(key);
        movedAt = clock.monotonic();
      };
    },
  };
}

/** Takes all series of a loop off. */
function forget(metrics: Metrics, name: string): void {
  for (const [metric, { labels }] of Object.entries(loopMetrics)) {
    const [, more] = labels;
    const values = more === undefined ? [{}] : (VALUES[more] ?? []).map((value) => ({ [more]: value }));
    for (const value of values) metrics.remove(metric, { name, ...value });
  }
}

/** What the labels beside `name` may say. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  band: Object.keys(bands),
  outcome: ['success', 'after', 'retry', 'error'] satisfies PassOutcome[],
};

/** Reads queue and running passes, whose ages in seconds `ages` tells, into the gauges. */
function collector({ name, queue, metrics }: { name: string; queue: Queue; metrics: Metrics }, ages: () => number[]) {
  let counted = 0;
  return () => {
    const depth = queue.depth();
    for (const band of Object.keys(bands) as Array<keyof typeof bands>) {
      metrics.set('drover_workqueue_depth', depth[band], { name, band });
    }
    const ready = Object.values(depth).reduce((sum, keys) => sum + keys, 0);
    const running = ages();
    metrics.set('mcm_workqueue_depth', ready, { name });
    metrics.count('mcm_workqueue_adds_total', { name }, queue.added - counted);
    counted = queue.added;
    metrics.set('drover_workqueue_oldest_ready_seconds', queue.oldestReadyMs() / 1000, { name });
    metrics.set(
      'mcm_workqueue_unfinished_work_seconds',
      running.reduce((sum, age) => sum + age, 0),
      { name },
    );
    metrics.set('mcm_workqueue_longest_running_processor_seconds', Math.max(0, ...running), { name });
  };
}
