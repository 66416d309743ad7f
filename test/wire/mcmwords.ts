/**
 * What clients of machine-controller-manager read of its objects, word by word: Gardener's autoscaler and health checks, dashboards,
 * scripts, MCM itself when it takes a herd back. These words never change (hack/decisions/0050). Where each comes from is said in
 * hack/spec/mcm.md, by its numbers.
 */

/** Phases of a Machine, `status.currentStatus.phase` (hack/spec/mcm.md 1.2). */
export const phases = [
  '',
  'Pending',
  'Available',
  'Running',
  'Unknown',
  'Failed',
  'CrashLoopBackOff',
  'Terminating',
  'InPlaceUpdating',
  'InPlaceUpdateSuccessful',
  'InPlaceUpdateFailed',
];

/** `status.lastOperation.type` (hack/spec/mcm.md 1.2). */
export const operationTypes = ['', 'Create', 'Update', 'InPlaceUpdate', 'DrainNode', 'HealthCheck', 'Delete'];

/** `status.lastOperation.state` (hack/spec/mcm.md 1.2). */
export const operationStates = ['', 'Processing', 'Failed', 'Successful'];

/** `status.lastOperation.errorCode`, and the numbers by which the metric of failed driver calls tells them (hack/spec/mcm.md 9.2). */
export const errorCodes = {
  OK: 0,
  Canceled: 1,
  Unknown: 2,
  InvalidArgument: 3,
  DeadlineExceeded: 4,
  NotFound: 5,
  AlreadyExists: 6,
  PermissionDenied: 7,
  ResourceExhausted: 8,
  FailedPrecondition: 9,
  Aborted: 10,
  OutOfRange: 11,
  Unimplemented: 12,
  Internal: 13,
  Unavailable: 14,
  DataLoss: 15,
  Unauthenticated: 16,
  Uninitialized: 17,
};

/** Parts of `status.lastOperation.description` that MCM and scripts look for (hack/spec/mcm.md 6.4 to 6.7). */
export const descriptions = [
  'Creating machine on cloud provider',
  'Created machine on cloud provider',
  'Cloud provider message - ',
  'successfully joined the cluster',
  'successfully re-joined the cluster',
  'Set machine status to termination. Now, getting VM Status',
  'Drain failed due to - ',
  'Initiate node drain',
  'Delete Volume Attachments',
  'Initiate VM deletion',
  'Initiate node object deletion',
  'Initiate machine object finalizer removal',
];

/** Types and reasons of conditions of MachineSets and MachineDeployments (hack/spec/mcm.md 1.3, 4.9, 8.1). */
export const conditions = [
  'Available',
  'MinimumReplicasAvailable',
  'MinimumReplicasUnavailable',
  'Progressing',
  'NewMachineSetAvailable',
  'NewMachineSetCreated',
  'FoundNewMachineSet',
  'MachineSetCreateError',
  'MachineSetUpdated',
  'ProgressDeadlineExceeded',
  'DeploymentPaused',
  'DeploymentResumed',
  'ReplicaFailure',
  'FailedCreate',
  'FailedDelete',
  'Frozen',
  'OverShootingReplicaCount',
  'MachineDeploymentStateSync',
];

/** Types and reasons of conditions of Nodes (hack/spec/mcm.md 2.5). */
export const nodeConditions = [
  'InPlaceUpdate',
  'CandidateForUpdate',
  'SelectedForUpdate',
  'DrainSuccessful',
  'ReadyForUpdate',
  'UpdateSuccessful',
  'UpdateFailed',
  'Terminating',
  'Unhealthy',
  'ScaleDown',
  'Preserved',
  'Preserved by MCM.',
  'Preserved by user.',
  'Preservation stopped.',
  'Preserved node drained successfully.',
];

/** Reasons of events of MachineDeployments and MachineSets (hack/spec/mcm.md 10.1). */
export const events = [
  'SelectingAll',
  'ScalingMachineSet',
  'MachineSetCreateError',
  'DeploymentRollback',
  'DeploymentRollbackRevisionNotFound',
  'DeploymentRollbackTemplateUnchanged',
  'SuccessfulCreate',
  'SuccessfulDelete',
  'FailedCreate',
  'FailedDelete',
  'FrozeMachineSet',
  'UnfrozeMachineSet',
];

/** Finalizers, labels, annotations and taints (hack/spec/mcm.md 2.1 to 2.4), and those that both cluster-autoscalers read (hack/spec/cluster-api.md E1, E2). */
export const keys = [
  'machine.sapcloud.io/machine-controller-manager',
  'machine.sapcloud.io/machine-controller',
  'node.machine.sapcloud.io/machine-controller',
  'deployment.kubernetes.io/revision',
  'deployment.kubernetes.io/revision-history',
  'deployment.kubernetes.io/desired-replicas',
  'deployment.kubernetes.io/max-replicas',
  'deployment.machine.sapcloud.io/prefer-no-schedule',
  'safety.machine.sapcloud.io/unfreeze',
  'machinepriority.machine.sapcloud.io',
  'node.machine.sapcloud.io/trigger-deletion-by-mcm',
  'machine.sapcloud.io/last-deployment-replica-change-by-scaler-time',
  'machine.sapcloud.io/marked-for-deletion-time',
  'node.machine.sapcloud.io/effective-creation-timeout',
  'node.machine.sapcloud.io/preserve',
  'node.machine.sapcloud.io/last-applied-node-preserve-value',
  'node.machine.sapcloud.io/last-applied-anno-labels-taints',
  'node.machine.sapcloud.io/last-applied-virtual-capacity',
  'node.machine.sapcloud.io/not-managed-by-mcm',
  'node.machine.sapcloud.io/update-failed-reason',
  'cluster-autoscaler.kubernetes.io/scale-down-disabled',
  'cluster-autoscaler.kubernetes.io/scale-down-disabled-by-mcm',
  'node',
  'name',
  'machine-template-hash',
  'freeze',
  'force-deletion',
  'force-drain',
  'node.machine.sapcloud.io/scale-up-disabled',
  'node.machine.sapcloud.io/candidate-for-update',
  'node.machine.sapcloud.io/selected-for-update',
  'node.machine.sapcloud.io/update-result',
  'node.gardener.cloud/machine-name',
  'node.gardener.cloud/critical-components-not-ready',
  'node.machine.sapcloud.io/preserved',
  'cluster.x-k8s.io/delete-machine',
  'cluster.x-k8s.io/deployment-name',
  'cluster.x-k8s.io/paused',
  'machinedeployment.clusters.x-k8s.io/revision',
];

/** Leases by which one of several programs leads (hack/spec/mcm.md 10.4). */
export const leases = ['machine-controller-manager', 'machine-controller'];

/** Placeholders in user data, between << and >> (hack/spec/mcm.md 6.13). */
export const placeholders = ['BOOTSTRAP_TOKEN', 'MACHINE_NAME'];

const own = ['name', 'namespace'];
const pool = ['namespace', 'machine_deployment', 'instance_type', 'zone'];
const failedMachine = [
  ...own,
  'failed_machine_name',
  'failed_machine_provider_id',
  'failed_machine_owner_ref',
  'failed_machine_last_operation_state',
  'failed_machine_last_operation_machine_operation_type',
];

/** Metrics with their labels (hack/spec/mcm.md 10.2). */
export const metrics: Readonly<Record<string, readonly string[]>> = {
  mcm_machine_stale_machines_total: [],
  mcm_machine_set_items_total: [],
  mcm_machine_deployment_items_total: [],
  mcm_machine_set_info_spec_replicas: own,
  mcm_machine_set_info_spec_min_ready_seconds: own,
  mcm_machine_set_status_available_replicas: own,
  mcm_machine_set_status_fully_labelled_replicas: own,
  mcm_machine_set_status_ready_replicas: own,
  mcm_machine_set_status_replicas: own,
  mcm_machine_set_info: [
    ...own,
    'createdAt',
    'spec_machine_class_api_group',
    'spec_machine_class_kind',
    'spec_machine_class_name',
  ],
  mcm_machine_set_status_condition: [...own, 'condition'],
  mcm_machine_set_failed_machines: failedMachine,
  mcm_machine_deployment_status_condition: [...own, 'condition'],
  mcm_machine_deployment_failed_machines: failedMachine,
  mcm_machine_deployment_info: [...own, 'createdAt', 'spec_strategy_type'],
  mcm_machine_deployment_info_spec_paused: own,
  mcm_machine_deployment_info_spec_replicas: own,
  mcm_machine_deployment_info_spec_min_ready_seconds: own,
  mcm_machine_deployment_info_spec_rolling_update_max_surge: own,
  mcm_machine_deployment_info_spec_rolling_update_max_unavailable: own,
  mcm_machine_deployment_info_spec_revision_history_limit: own,
  mcm_machine_deployment_info_spec_progress_deadline_seconds: own,
  mcm_machine_deployment_info_spec_rollback_to_revision: own,
  mcm_machine_deployment_status_available_replicas: own,
  mcm_machine_deployment_status_unavailable_replicas: own,
  mcm_machine_deployment_status_ready_replicas: own,
  mcm_machine_deployment_status_updated_replicas: own,
  mcm_machine_deployment_status_replicas: own,
  mcm_machine_deployment_status_collision_count: own,
  mcm_machine_controller_frozen: [],
  mcm_machine_items_total: [],
  mcm_machine_current_status_phase: own,
  mcm_machine_info: [
    ...own,
    'createdAt',
    'spec_provider_id',
    'spec_class_api_group',
    'spec_class_kind',
    'spec_class_name',
    'node_name',
  ],
  mcm_machine_status_condition: [...own, 'condition'],
  mcm_machine_create_duration_seconds: pool,
  mcm_machine_initialize_duration_seconds: pool,
  mcm_machine_join_duration_seconds: pool,
  mcm_machine_delete_duration_seconds: pool,
  mcm_machine_drain_duration_seconds: ['namespace', 'machine_deployment'],
  mcm_machine_num_failed_join: pool,
  mcm_cloud_api_requests_total: ['provider', 'service'],
  mcm_cloud_api_requests_failed_total: ['provider', 'service'],
  mcm_cloud_api_api_request_duration_seconds: ['provider', 'service'],
  mcm_cloud_api_driver_request_duration_seconds: ['provider', 'operation'],
  mcm_cloud_api_driver_requests_failed_total: ['provider', 'operation', 'error_code'],
  mcm_misc_scrape_failure_total: ['kind', 'binary'],
  mcm_workqueue_depth: ['name'],
  mcm_workqueue_adds_total: ['name'],
  mcm_workqueue_queue_duration_seconds: ['name'],
  mcm_workqueue_work_duration_seconds: ['name'],
  mcm_workqueue_unfinished_work_seconds: ['name'],
  mcm_workqueue_longest_running_processor_seconds: ['name'],
  mcm_workqueue_retries_total: ['name'],
  rest_client_requests_total: ['code', 'method', 'host'],
  rest_client_request_latency_seconds: ['verb', 'url'],
};
