import type { Metrics, MetricTable } from '../../runtime/observability/metrics.ts';
import type { Standing, SweepPlan } from './flow/plan.ts';

/** What is measured of VMs without a Machine. */
export const orphanMetrics = {
  drover_orphan_vms: {
    type: 'gauge',
    help: 'VMs of the last list of a class (namespace/name) that are no living Machine’s, by how they stand: foreign (of another installation), retained, unknown (without age, installation or name), young, waiting (for a second sighting), reported, held (frozen, or an API server is away), queued (the sweep has deleted as many as it may), leaving.',
    labels: ['class', 'state'],
  },
  drover_orphan_deletions_total: {
    type: 'counter',
    help: 'VMs without a Machine by what became of their deletion: deleted, failed, or spared because the API server knew a Machine for it or could not be asked.',
    labels: ['class', 'outcome'],
  },
  drover_orphan_nodes_deleted_total: {
    type: 'counter',
    help: 'Nodes that were deleted because their VM had no Machine and is gone.',
    labels: [],
  },
  drover_orphan_sweeps_total: {
    type: 'counter',
    help: 'Sweeps for VMs without a Machine by what came of them: the reason in condition OrphansSwept of the class.',
    labels: ['class', 'outcome'],
  },
} as const satisfies MetricTable;

const STATES: readonly Standing[] = [
  'foreign',
  'retained',
  'unknown',
  'young',
  'waiting',
  'reported',
  'held',
  'queued',
  'leaving',
];

/** Shows what a sweep found. What it is about to delete is leaving. */
export function showFound(metrics: Metrics, className: string, { standings }: SweepPlan): void {
  const counts = new Map<Standing, number>();
  for (const found of standings.values()) {
    const state = found === 'due' ? 'leaving' : found;
    counts.set(state, (counts.get(state) ?? 0) + 1);
  }
  for (const state of STATES) metrics.set('drover_orphan_vms', counts.get(state) ?? 0, { class: className, state });
}

/** Drops what was shown of a class that is gone. */
export function forgetFound(metrics: Metrics, className: string): void {
  for (const state of STATES) metrics.remove('drover_orphan_vms', { class: className, state });
}
