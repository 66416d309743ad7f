import { refOf } from '../runtime/k8s/object.ts';
import type { Metrics, MetricTable } from '../runtime/observability/metrics.ts';
import type { DrainMemory } from './memory.ts';
import type { Attempt, PodResult } from './podtracker.ts';

/** Metrics of drains. */
export const drainMetrics = {
  drover_drain_pods_total: {
    type: 'counter',
    help: 'What came of asking pods of a Node to leave: evicted, deleted (without grace), refused (a budget allows none now), misconfigured (a budget never allows one), failed.',
    labels: ['namespace', 'result'],
  },
  drover_drain_volumes_waiting: {
    type: 'gauge',
    help: 'Volumes of evicted pods that drains wait for: to be detached from their Node, and attached to another.',
    labels: ['namespace'],
  },
  drover_drain_duration_seconds: {
    type: 'histogram',
    help: 'How long a drain took: succeeded, forced (by label, time-out, or because the Node is lost), or interrupted (the Node or its VM was gone before).',
    labels: ['result'],
    buckets: [1, 5, 15, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14_400],
  },
} as const satisfies MetricTable;

/** An attempt to make a pod leave that ended: `key` is that of the Machine. */
export interface DrainCallEnd {
  key: string;
  attempt: Pick<Attempt, 'kind' | 'pod'>;
  result: PodResult;
}

/** Counts what came of an attempt; who only followed a pod that was leaving asked nothing. */
export function countDrainCall(metrics: Metrics, { key, attempt: { kind, pod }, result }: DrainCallEnd): void {
  if (kind === 'eviction' && pod.endsAt !== undefined) return;
  metrics.count('drover_drain_pods_total', { namespace: namespaceOf(key), result: wordFor(result) });
}

/** Reads how many volumes are waited for; answers what is to run at each scrape. */
export function drainCollector(drains: { all(): Iterable<DrainMemory> }): (metrics: Metrics) => void {
  return (metrics) => {
    metrics.reset('drover_drain_volumes_waiting');
    const waiting = new Map<string, number>();
    for (const { handover, request } of drains.all()) {
      const namespace = namespaceOf(request.key);
      if (handover) waiting.set(namespace, (waiting.get(namespace) ?? 0) + handover.volumes.length);
    }
    for (const [namespace, volumes] of waiting) metrics.set('drover_drain_volumes_waiting', volumes, { namespace });
  };
}

function wordFor(result: PodResult): string {
  if (result.did === 'asked') return 'evicted';
  return result.did === 'killed' ? 'deleted' : result.result.toLowerCase();
}

const namespaceOf = (key: string): string => refOf(key).namespace ?? '';
