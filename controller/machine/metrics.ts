import { LABEL_NODE } from '../../schemas/keys.ts';
import type { Machine } from '../../schemas/machine.ts';
import type { DriverMethod } from '../drivers/sdk/driver.ts';
import { conditionSamples, createdAt, ownLabels, type Sample, Series } from '../framework/objectmetrics.ts';
import { phaseOf } from '../model/phases.ts';
import type { Labels, Metrics, MetricTable } from '../runtime/observability/metrics.ts';
import type { Cache } from '../runtime/watch/cache.ts';
import { steps } from './flow/steptraits.ts';

/** Which machines a duration or a count is about (hack/spec/mcm.md 10.2); `machine_deployment` is the label `name`, else the owner. */
const pool = ['namespace', 'machine_deployment', 'instance_type', 'zone'] as const;

/** Metrics of Machines, as they stand at a scrape. */
export const machineMetrics = {
  mcm_machine_items_total: { type: 'gauge', help: 'Machines.', labels: [] },
  mcm_machine_controller_frozen: {
    type: 'gauge',
    help: 'Whether destructive work stands still: 0 no, 1 yes.',
    labels: [],
  },
  mcm_machine_current_status_phase: {
    type: 'gauge',
    help: 'Phase: Terminating -4, Failed -3, CrashLoopBackOff -2, Unknown -1, Running 1, any other 0.',
    labels: ['name', 'namespace'],
  },
  mcm_machine_info: {
    type: 'gauge',
    help: 'What a machine is, as labels; createdAt in seconds since the epoch. Always 1.',
    labels: [
      'name',
      'namespace',
      'createdAt',
      'spec_provider_id',
      'spec_class_api_group',
      'spec_class_kind',
      'spec_class_name',
      'node_name',
    ],
  },
  mcm_machine_status_condition: {
    type: 'gauge',
    help: "Conditions of the machine's Node: True 1, False 0, Unknown 2.",
    labels: ['name', 'namespace', 'condition'],
  },
  drover_machines: {
    type: 'gauge',
    help: 'Machines by phase, and by the step that decides and its reason: what they wait for.',
    labels: ['namespace', 'phase', 'step', 'reason'],
  },
} as const satisfies MetricTable;

/** Metrics of what happens to Machines. */
export const transitionMetrics = {
  mcm_machine_create_duration_seconds: {
    type: 'gauge',
    help: 'From the making of the machine to that of its VM: the last one.',
    labels: pool,
  },
  mcm_machine_initialize_duration_seconds: {
    type: 'gauge',
    help: 'How long the driver took to finish a VM: the last one.',
    labels: pool,
  },
  mcm_machine_join_duration_seconds: {
    type: 'gauge',
    help: 'From the making of the machine to its first being Running: the last one.',
    labels: pool,
  },
  mcm_machine_delete_duration_seconds: {
    type: 'gauge',
    help: 'From the request to delete the machine to the end of its VM: the last one.',
    labels: pool,
  },
  mcm_machine_drain_duration_seconds: {
    type: 'gauge',
    help: 'How long a drain took: the last one.',
    labels: ['namespace', 'machine_deployment'],
  },
  mcm_machine_num_failed_join: { type: 'counter', help: 'Machines that did not join in time.', labels: pool },
  drover_machine_create_to_running_seconds: {
    type: 'histogram',
    help: 'From the making of a machine to its first being Running.',
    labels: [],
    buckets: [1, 2, 5, 10, 30, 60, 120, 180, 300, 600, 900, 1200, 1800, 3600],
  },
} as const satisfies MetricTable;

/** Metrics of driver calls. What a driver asks of its cloud is its own business: one call counts as one request. */
export const callMetrics = {
  mcm_cloud_api_requests_total: {
    type: 'counter',
    help: 'Driver calls that ended; service is the method.',
    labels: ['provider', 'service'],
  },
  mcm_cloud_api_requests_failed_total: {
    type: 'counter',
    help: 'Driver calls that failed; service is the method.',
    labels: ['provider', 'service'],
  },
  mcm_cloud_api_api_request_duration_seconds: {
    type: 'histogram',
    help: 'Time of driver calls that succeeded; service is the method.',
    labels: ['provider', 'service'],
  },
  mcm_cloud_api_driver_request_duration_seconds: {
    type: 'histogram',
    help: 'Time of driver calls that succeeded, by operation as MCM names it.',
    labels: ['provider', 'operation'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600],
  },
  mcm_cloud_api_driver_requests_failed_total: {
    type: 'counter',
    help: 'Driver calls that failed, by operation and the number of the error code.',
    labels: ['provider', 'operation', 'error_code'],
  },
  drover_driver_calls_in_flight: { type: 'gauge', help: 'Driver calls in progress, by method.', labels: ['method'] },
} as const satisfies MetricTable;

const PHASES: Readonly<Record<string, number>> = {
  Terminating: -4,
  Failed: -3,
  CrashLoopBackOff: -2,
  Unknown: -1,
  Running: 1,
};

/** What is read at a scrape. */
export interface Collected {
  machines: Cache<Machine>;
  /** Whoever has driver calls in flight, each with methods of its own. */
  callers: ReadonlyArray<{ countByMethod(): ReadonlyMap<DriverMethod, number> }>;
}

/** What reads the Machines, and the driver calls in flight, into the gauges. */
export function machineCollector({ machines, callers }: Collected): (metrics: Metrics) => void {
  const series = new Series(samplesOf);
  return (metrics) => {
    const all = machines.list();
    series.show(metrics, all);
    metrics.set('mcm_machine_items_total', all.length);
    metrics.reset('drover_machines');
    for (const { labels, count } of groupsOf(all)) metrics.set('drover_machines', count, labels);
    metrics.reset('drover_driver_calls_in_flight');
    for (const [method, number] of callers.flatMap((caller) => [...caller.countByMethod()]))
      metrics.set('drover_driver_calls_in_flight', number, { method });
  };
}

/** The gauges of one Machine. */
function samplesOf({ metadata, spec, status }: Machine): Sample[] {
  const own = ownLabels(metadata);
  const conditions = (status?.conditions ?? []).filter(({ type }) => !(type in steps));
  const info = {
    ...own,
    createdAt: createdAt(metadata),
    spec_provider_id: spec?.providerID ?? '',
    spec_class_api_group: spec?.class?.apiGroup ?? '',
    spec_class_kind: spec?.class?.kind ?? '',
    spec_class_name: spec?.class?.name ?? '',
    node_name: metadata.labels?.[LABEL_NODE] ?? '',
  };
  const phase = PHASES[phaseOf({ status })] ?? 0;
  return [
    { name: 'mcm_machine_current_status_phase', value: phase, labels: own },
    { name: 'mcm_machine_info', value: 1, labels: info },
    ...conditionSamples('mcm_machine_status_condition', metadata, conditions),
  ];
}

interface Group {
  labels: Labels;
  count: number;
}

/** How many machines are in each phase, by what decides about them. */
function groupsOf(machines: readonly Machine[]): Iterable<Group> {
  const groups = new Map<string, Group>();
  for (const { metadata, status } of machines) {
    const { name: step = '', reason = '' } = status?.currentStep ?? {};
    const labels = { namespace: metadata.namespace ?? '', phase: phaseOf({ status }), step, reason };
    const key = Object.values(labels).join(' ');
    const group = groups.get(key) ?? { labels, count: 0 };
    group.count += 1;
    groups.set(key, group);
  }
  return groups.values();
}
