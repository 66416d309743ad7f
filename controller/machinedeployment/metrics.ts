import type { MachineDeployment } from '../../schemas/machinedeployment.ts';
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
import { numbersOf } from './flow/view.ts';

const gauge = (help: string) => ({ type: 'gauge', help, labels: own }) as const;

/** Metrics of MachineDeployments, as they stand at a scrape (hack/spec/mcm.md 10.2). */
export const machineDeploymentMetrics = {
  mcm_machine_deployment_items_total: { type: 'gauge', help: 'MachineDeployments.', labels: [] },
  mcm_machine_deployment_info: {
    type: 'gauge',
    help: 'What a deployment is, as labels; createdAt in seconds since the epoch. Always 1.',
    labels: [...own, 'createdAt', 'spec_strategy_type'],
  },
  mcm_machine_deployment_info_spec_paused: gauge('Whether the rollout is paused: 0 no, 1 yes.'),
  mcm_machine_deployment_info_spec_replicas: gauge('Machines wanted.'),
  mcm_machine_deployment_info_spec_min_ready_seconds: gauge(
    'Seconds for which a machine must be ready before it counts as available.',
  ),
  mcm_machine_deployment_info_spec_rolling_update_max_surge: gauge('Machines above the replicas; percents resolved.'),
  mcm_machine_deployment_info_spec_rolling_update_max_unavailable: gauge(
    'Machines that may be unavailable; percents resolved.',
  ),
  mcm_machine_deployment_info_spec_revision_history_limit: gauge('Old sets that are kept; absent for all.'),
  mcm_machine_deployment_info_spec_progress_deadline_seconds: gauge(
    'Seconds without progress after which a rollout counts as stuck; absent if there is no limit.',
  ),
  mcm_machine_deployment_info_spec_rollback_to_revision: gauge('The revision that a rollback asks for, while it does.'),
  mcm_machine_deployment_status_available_replicas: gauge('Machines that are available.'),
  mcm_machine_deployment_status_unavailable_replicas: gauge('Machines that are not available.'),
  mcm_machine_deployment_status_ready_replicas: gauge('Machines that are Running.'),
  mcm_machine_deployment_status_updated_replicas: gauge('Machines of the newest template.'),
  mcm_machine_deployment_status_replicas: gauge('Machines of all its sets.'),
  mcm_machine_deployment_status_collision_count: gauge('Names of sets that were taken.'),
  mcm_machine_deployment_status_condition: {
    type: 'gauge',
    help: 'Conditions: True 1, False 0, Unknown 2.',
    labels: [...own, 'condition'],
  },
  mcm_machine_deployment_failed_machines: {
    type: 'gauge',
    help: 'Machines of the deployment whose last operation failed. Always 1.',
    labels: failedMachine,
  },
} as const satisfies MetricTable;

type Reading = (deployment: MachineDeployment) => number | null | undefined;

/** What the deployment shall be; absent numbers have no series. */
const SPEC: Readonly<Record<string, Reading>> = {
  paused: ({ spec }) => (spec.paused ? 1 : 0),
  replicas: ({ spec }) => spec.replicas ?? 0,
  min_ready_seconds: ({ spec }) => spec.minReadySeconds ?? 0,
  rolling_update_max_surge: (deployment) => numbersOf(deployment).surge,
  rolling_update_max_unavailable: (deployment) => numbersOf(deployment).unavailable,
  revision_history_limit: ({ spec }) => spec.revisionHistoryLimit,
  progress_deadline_seconds: ({ spec }) => spec.progressDeadlineSeconds,
  rollback_to_revision: ({ spec }) => spec.rollbackTo?.revision,
};

const STATUS: Readonly<Record<string, Reading>> = {
  available_replicas: ({ status }) => status?.availableReplicas ?? 0,
  unavailable_replicas: ({ status }) => status?.unavailableReplicas ?? 0,
  ready_replicas: ({ status }) => status?.readyReplicas ?? 0,
  updated_replicas: ({ status }) => status?.updatedReplicas ?? 0,
  replicas: ({ status }) => status?.replicas ?? 0,
  collision_count: ({ status }) => status?.collisionCount ?? 0,
};

/** What reads the MachineDeployments into the gauges. */
export function machineDeploymentCollector({
  deployments,
}: {
  deployments: Cache<MachineDeployment>;
}): (metrics: Metrics) => void {
  const series = new Series(samplesOf);
  return (metrics) => {
    metrics.set('mcm_machine_deployment_items_total', deployments.size);
    series.show(metrics, deployments.list());
  };
}

/** The gauges of one MachineDeployment. */
function samplesOf(deployment: MachineDeployment): Sample[] {
  const { metadata, spec, status } = deployment;
  const info = {
    ...ownLabels(metadata),
    createdAt: createdAt(metadata),
    spec_strategy_type: spec.strategy?.type ?? '',
  };
  return [
    { name: 'mcm_machine_deployment_info', value: 1, labels: info },
    ...readings(deployment, 'info_spec', SPEC),
    ...readings(deployment, 'status', STATUS),
    ...conditionSamples('mcm_machine_deployment_status_condition', metadata, status?.conditions),
    ...failedSamples('mcm_machine_deployment_failed_machines', metadata, status?.failedMachines),
  ];
}

const readings = (deployment: MachineDeployment, part: string, table: Readonly<Record<string, Reading>>): Sample[] =>
  Object.entries(table).flatMap(([name, read]) => {
    const value = read(deployment);
    if (typeof value !== 'number') return [];
    return [{ name: `mcm_machine_deployment_${part}_${name}`, value, labels: ownLabels(deployment.metadata) }];
  });
