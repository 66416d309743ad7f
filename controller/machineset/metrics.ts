import type { MachineSet } from '../../schemas/machineset.ts';
import {
  conditionSamples,
  createdAt,
  failedMachine,
  failedSamples,
  own,
  ownLabels,
  type Sample,
  Series,
} from '../framework/objectmetrics.ts';
import type { Metrics, MetricTable } from '../runtime/observability/metrics.ts';
import type { Cache } from '../runtime/watch/cache.ts';

/** Metrics of MachineSets, as they stand at a scrape (hack/spec/mcm.md 10.2). */
export const machineSetMetrics = {
  mcm_machine_set_items_total: { type: 'gauge', help: 'MachineSets.', labels: [] },
  mcm_machine_set_info: {
    type: 'gauge',
    help: 'What a set is, as labels; createdAt in seconds since the epoch. Always 1.',
    labels: [...own, 'createdAt', 'spec_machine_class_api_group', 'spec_machine_class_kind', 'spec_machine_class_name'],
  },
  mcm_machine_set_info_spec_replicas: { type: 'gauge', help: 'Machines wanted.', labels: own },
  mcm_machine_set_info_spec_min_ready_seconds: {
    type: 'gauge',
    help: 'Seconds for which a machine must be ready before it counts as available.',
    labels: own,
  },
  mcm_machine_set_status_replicas: { type: 'gauge', help: 'Machines of the set.', labels: own },
  mcm_machine_set_status_fully_labelled_replicas: {
    type: 'gauge',
    help: 'Machines with all labels of the template.',
    labels: own,
  },
  mcm_machine_set_status_ready_replicas: { type: 'gauge', help: 'Machines that are Running.', labels: own },
  mcm_machine_set_status_available_replicas: { type: 'gauge', help: 'Machines that are available.', labels: own },
  mcm_machine_set_status_condition: {
    type: 'gauge',
    help: 'Conditions: True 1, False 0, Unknown 2.',
    labels: [...own, 'condition'],
  },
  mcm_machine_set_failed_machines: {
    type: 'gauge',
    help: 'Machines of the set whose last operation failed. Always 1.',
    labels: failedMachine,
  },
} as const satisfies MetricTable;

/** Metrics of what MachineSets do. */
export const replacementMetrics = {
  mcm_machine_stale_machines_total: {
    type: 'counter',
    help: 'Machines that failed after they had run, and that sets deleted to replace them.',
    labels: [],
  },
} as const satisfies MetricTable;

/** Gauges with a number of the set. */
const NUMBERS: Readonly<Record<string, (set: MachineSet) => number | null | undefined>> = {
  mcm_machine_set_info_spec_replicas: ({ spec }) => spec?.replicas,
  mcm_machine_set_info_spec_min_ready_seconds: ({ spec }) => spec?.minReadySeconds,
  mcm_machine_set_status_replicas: ({ status }) => status?.replicas,
  mcm_machine_set_status_fully_labelled_replicas: ({ status }) => status?.fullyLabeledReplicas,
  mcm_machine_set_status_ready_replicas: ({ status }) => status?.readyReplicas,
  mcm_machine_set_status_available_replicas: ({ status }) => status?.availableReplicas,
};

/** What reads the MachineSets into the gauges. */
export function machineSetCollector({ sets }: { sets: Cache<MachineSet> }): (metrics: Metrics) => void {
  const series = new Series(samplesOf);
  return (metrics) => {
    metrics.set('mcm_machine_set_items_total', sets.size);
    series.show(metrics, sets.list());
  };
}

/** The gauges of one MachineSet. */
function samplesOf(set: MachineSet): Sample[] {
  const { metadata, spec, status } = set;
  const labels = ownLabels(metadata);
  const { apiGroup = '', kind = '', name: className = '' } = spec?.machineClass ?? spec?.template?.spec?.class ?? {};
  const info = {
    ...labels,
    createdAt: createdAt(metadata),
    spec_machine_class_api_group: apiGroup,
    spec_machine_class_kind: kind,
    spec_machine_class_name: className,
  };
  return [
    { name: 'mcm_machine_set_info', value: 1, labels: info },
    ...Object.entries(NUMBERS).map(([name, number]) => ({ name, value: number(set) ?? 0, labels })),
    ...conditionSamples('mcm_machine_set_status_condition', metadata, status?.machineSetCondition),
    ...failedSamples('mcm_machine_set_failed_machines', metadata, status?.failedMachines),
  ];
}
