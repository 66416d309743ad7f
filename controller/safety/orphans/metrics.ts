import type { Metrics, MetricTable } from '../../runtime/observability/metrics.ts';
import { type SweepPlan, type SweepState, sweptReasons } from './flow/plan.ts';

/** What is measured of VMs without a Machine. */
export const orphanMetrics = {
  drover_orphaned_vms: {
    type: 'gauge',
    help: 'VMs of the last list of a class (namespace/name) that are no living Machine’s, by how they stand: foreign (of another installation), retained, unknown (without age, installation or name), young, waiting (for a second sighting), reported, held (frozen, or an API server is unreachable), queued (the sweep has deleted as many as it may), leaving.',
    labels: ['class', 'state'],
  },
  drover_orphaned_vm_deletions_total: {
    type: 'counter',
    help: 'VMs without a Machine by what became of their deletion: deleted, failed, or spared because the API server knew a Machine for it or could not be asked.',
    labels: ['class', 'outcome'],
  },
  drover_orphaned_nodes_deleted_total: {
    type: 'counter',
    help: 'Nodes that were deleted because their VM had no Machine and is gone.',
    labels: [],
  },
  drover_orphan_sweeps_total: {
    type: 'counter',
    help: 'Sweeps for VMs without a Machine by what came of them: the reason in condition OrphanSweepSucceeded of the class.',
    labels: ['class', 'outcome'],
  },
} as const satisfies MetricTable;

const STATES: readonly SweepState[] = [
  'foreign',
  'retained',
  'unknown',
  'young',
  'waiting',
  'reported',
  'held',
  'queued',
  'terminating',
];

const OUTCOMES = ['deleted', 'failed', 'spared'] as const;

/** Shows what a sweep found. What it is about to delete is terminating. */
export function showFound(metrics: Metrics, className: string, { states }: SweepPlan): void {
  const counts = new Map<SweepState, number>();
  for (const found of states.values()) {
    const state = found === 'due' ? 'terminating' : found;
    counts.set(state, (counts.get(state) ?? 0) + 1);
  }
  for (const state of STATES) metrics.set('drover_orphaned_vms', counts.get(state) ?? 0, { class: className, state });
}

/** Drops what was shown of a class that is gone. */
export function forgetFound(metrics: Metrics, className: string): void {
  for (const state of STATES) metrics.remove('drover_orphaned_vms', { class: className, state });
  for (const outcome of OUTCOMES) metrics.remove('drover_orphaned_vm_deletions_total', { class: className, outcome });
  for (const outcome of Object.keys(sweptReasons))
    metrics.remove('drover_orphan_sweeps_total', { class: className, outcome });
}
