/** Names that are part of the wire format: finalizers, labels, annotations and taints (hack/spec/mcm.md 2; hack/decisions/0000 2, 4 and 5). */

/** On MachineDeployment, MachineSet, Machine and MachineClass (hack/spec/mcm.md 2.1). */
export const FINALIZER = 'machine.sapcloud.io/machine-controller-manager';
/** On Secrets that a class in use names (hack/spec/mcm.md 2.1). */
export const SECRET_FINALIZER = 'machine.sapcloud.io/machine-controller';
/** On Nodes: written by MCM, taken off before a Node is deleted (hack/spec/mcm.md 2.1). */
export const NODE_FINALIZER = 'node.machine.sapcloud.io/machine-controller';

/** Label of a Node: its zone (Kubernetes' own). */
export const LABEL_ZONE = 'topology.kubernetes.io/zone';

/** Label of a Machine: the name of its Node. Machine and Node are joined by it everywhere. */
export const LABEL_NODE = 'node';
/** Label of sets, their selectors, templates and machines: the hash of the template. */
export const LABEL_TEMPLATE_HASH = 'machine-template-hash';
/** Label of sets and deployments that are frozen, with the value {@link FROZEN}. */
export const LABEL_FREEZE = 'freeze';
export const FROZEN = 'True';
/** Label of a Machine that is to go without regard for pods and volumes: any true that Go reads (hack/spec/mcm.md 2.3). */
export const LABEL_FORCE_DELETION = 'force-deletion';
/** Label of a Machine whose Node is drained by force, with the value {@link FORCED} (hack/spec/mcm.md 2.3). */
export const LABEL_FORCE_DRAIN = 'force-drain';
export const FORCED = 'True';
/** Label that names the Cluster of a Machine, MachineSet or MachineDeployment (hack/decisions/0000 4). */
export const LABEL_CLUSTER = 'cluster.k8s.io/cluster-name';
/** Label of the same with the Cluster's name once more, where the cluster-autoscaler with CAPI_GROUP set to ours looks (hack/spec/cluster-api.md E1). */
export const LABEL_CLUSTERAPI_CLUSTER = 'machine.sapcloud.io/cluster-name';
/** Label of sets and machines: the name of their deployment, as Cluster API spells it. */
export const LABEL_DEPLOYMENT_NAME = 'cluster.x-k8s.io/deployment-name';
/** Label of a Node: the name of its Machine. */
export const LABEL_MACHINE_NAME = 'node.gardener.cloud/machine-name';

/** Labels of Nodes by which machines are updated in place; whether they are there counts (hack/spec/mcm.md 2.3). */
export const LABEL_CANDIDATE = 'node.machine.sapcloud.io/candidate-for-update';
export const LABEL_SELECTED = 'node.machine.sapcloud.io/selected-for-update';
/** What became of an update in place: `successful` or `failed`; on Nodes by their agent, on Machines while they change sets. */
export const LABEL_UPDATE_RESULT = 'node.machine.sapcloud.io/update-result';
/** On sets that make no machines: the old ones of an update in place; whether it is there counts. */
export const LABEL_SCALE_UP_DISABLED = 'node.machine.sapcloud.io/scale-up-disabled';
/** Why an update in place failed, for people; on Nodes by their agent. */
export const ANNOTATION_UPDATE_FAILED_REASON = 'node.machine.sapcloud.io/update-failed-reason';

/** Sequence number of a rollout, on sets and deployments. */
export const ANNOTATION_REVISION = 'deployment.kubernetes.io/revision';
/** The same on sets, as Cluster API spells it. */
export const ANNOTATION_CLUSTERAPI_REVISION = 'machinedeployment.clusters.x-k8s.io/revision';
export const ANNOTATION_REVISION_HISTORY = 'deployment.kubernetes.io/revision-history';
/** The deployment's replicas when a set was last scaled; a difference is a scaling event. */
export const ANNOTATION_DESIRED = 'deployment.kubernetes.io/desired-replicas';
/** The deployment's replicas + maxSurge when a set was last scaled. */
export const ANNOTATION_MAX = 'deployment.kubernetes.io/max-replicas';
/** Deletion priority of a Machine, lower first; 3 when missing. */
export const ANNOTATION_PRIORITY = 'machinepriority.machine.sapcloud.io';
/** When a scaler asked for a Machine's deletion, RFC 3339. */
export const ANNOTATION_MARKED = 'machine.sapcloud.io/marked-for-deletion-time';
/** When a scaler last changed a deployment's replicas, RFC 3339; copied to its newest set. */
export const ANNOTATION_SCALED_BY_SCALER = 'machine.sapcloud.io/last-deployment-replica-change-by-scaler-time';
/** Preservation of a Machine: now, when-failed, auto-preserved, false. */
export const ANNOTATION_PRESERVE = 'node.machine.sapcloud.io/preserve';
/** On Nodes that no Machine has, with the value {@link NOT_MANAGED}: MCM passes them by (hack/spec/mcm.md 2.2, 8.3). */
export const ANNOTATION_NOT_MANAGED = 'node.machine.sapcloud.io/not-managed-by-mcm';
export const NOT_MANAGED = '1';
/** The value of {@link ANNOTATION_PRESERVE} on the Node that was last acted on; on Machines. */
export const ANNOTATION_PRESERVE_APPLIED = 'node.machine.sapcloud.io/last-applied-node-preserve-value';
/** Keep the cluster-autoscaler from removing a Node, and tell who set that: only then may it be taken off (hack/spec/mcm.md 2.2). */
export const ANNOTATION_SCALE_DOWN_DISABLED = 'cluster-autoscaler.kubernetes.io/scale-down-disabled';
export const ANNOTATION_SCALE_DOWN_DISABLED_BY_MCM = 'cluster-autoscaler.kubernetes.io/scale-down-disabled-by-mcm';
/**
 * Groups before the keys that clients of Cluster API write or read: its own, and ours, which the cluster-autoscaler's clusterapi
 * provider takes by CAPI_GROUP (hack/spec/cluster-api.md E1).
 */
export const CLUSTERAPI_GROUPS = ['cluster.x-k8s.io', 'machine.sapcloud.io'] as const;
/** Marks of a Machine to delete first: Cluster API's (hack/decisions/0000 2), and that of a cluster-autoscaler (hack/spec/cluster-api.md E1). */
export const DELETE_MACHINE_MARKS = CLUSTERAPI_GROUPS.map((group) => `${group}/delete-machine`);
/** Nothing is done for an object that carries it (hack/decisions/0000 2). */
export const ANNOTATION_PAUSED = 'cluster.x-k8s.io/paused';
/** VM Operator's key for the same. */
export const ANNOTATION_PAUSED_DEVOPS = 'vmoperator.vmware.com/paused';
/** The same, for those who run Drover: who has no verb `override` can neither put it on nor take it off. */
export const ANNOTATION_PAUSED_ADMIN = 'protected.drover.dev/paused';
/** Who holds a Machine's changes back: `devops`, `admin` or `both`; the controller writes it (hack/spec/vm-operator.md 2.8). */
export const LABEL_PAUSED = 'vmoperator.vmware.com/paused';
/** Prefixes of annotations of which each holds the deletion of its Machine (hack/spec/vm-operator.md 2.3). */
export const DELETE_CHECKS = ['delete.check.drover.dev/', 'delete.check.vmoperator.vmware.com/'] as const;
/** A Machine's creation time-out as a Go duration; wins over the spec and the flag. */
export const ANNOTATION_CREATION_TIMEOUT = 'node.machine.sapcloud.io/effective-creation-timeout';
/** Left behind by tools; never copied from a deployment to its sets. */
export const ANNOTATION_LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
export const ANNOTATION_PREFER_NO_SCHEDULE = 'deployment.machine.sapcloud.io/prefer-no-schedule';
export const ANNOTATION_UNFREEZE = 'safety.machine.sapcloud.io/unfreeze';
export const ANNOTATION_TRIGGER_DELETION = 'node.machine.sapcloud.io/trigger-deletion-by-mcm';

/** On a Machine: the hot fields that its VM was last brought to, as JSON. */
export const ANNOTATION_APPLIED_SPEC = 'drover.dev/last-applied-provider-spec';
/** On a Machine: what its set's template last said of its settings, as JSON; absent while that is nothing (hack/decisions/0052). */
export const ANNOTATION_APPLIED_SETTINGS = 'drover.dev/last-applied-settings';
/** On a Machine whose VM is being brought to its class, or was, with an error: "true". Then the record above holds all that was tried. */
export const ANNOTATION_UPDATE_UNFINISHED = 'drover.dev/update-unfinished';

/** On a Machine: the class that its VM is made from, as JSON and without secret data; for Drover alone to write. */
export const ANNOTATION_CLASS = 'protected.drover.dev/machine-class';

/** On a Machine: "true" lets its VM be deleted although the controller itself runs on it (hack/spec/cluster-api.md A1.8). */
export const ANNOTATION_DELETE_HOST = 'drover.dev/delete-host';

/**
 * On a Machine: its own UID, the time (RFC 3339) at which its driver confirmed that a VM is its, and the VM's providerID; for
 * Drover alone to write. With the UID of another it is that of the Machine before a restore.
 */
export const ANNOTATION_CONFIRMED = 'protected.drover.dev/vm-confirmed';

/**
 * On a Machine: JSON of the labels and taints that its nodeTemplate had put on its Node, of those that no kubelet may change
 * itself; for Drover alone to write (hack/decisions/0046). Under `made` or `found`: what may count as such once the Node is seen, of a
 * VM that was made for the Machine, or that the Machine named from the beginning.
 */
export const ANNOTATION_GIVEN = 'protected.drover.dev/node-given';

/** Labels of a Node that is a member of a control plane (kubeadm), the older one last. */
export const CONTROL_PLANE_LABELS = [
  'node-role.kubernetes.io/control-plane',
  'node-role.kubernetes.io/master',
] as const;

/** Name of the user who created the object; written by the webhook. */
export const ANNOTATION_CREATED_BY = 'drover.dev/created-by';

/** Labels of a bootstrap token: the installation that made it, and the UID and the namespace of the Machine that it is for. */
export const LABEL_INCARNATION = 'drover.dev/incarnation';
export const LABEL_MACHINE_UID = 'drover.dev/machine-uid';
export const LABEL_MACHINE_NAMESPACE = 'drover.dev/machine-namespace';
/** Annotation of a bootstrap token: the Machine that it is for, as namespace/name. */
export const ANNOTATION_MACHINE = 'drover.dev/machine';

/** How urgent a Machine is, an integer; only for those who may `override` (hack/decisions/0000 5). */
export const PRIORITY_OVERRIDES = [
  'protected.drover.dev/reconcile-priority',
  'vmoperator.vmware.com.protected/reconcile-priority',
] as const;

/**
 * On a Node that was cordoned because its machine left or was updated in place: whose the cordon is. Ours (`true`) goes once that is
 * over; that of somebody else (`by-others`) stays.
 */
export const ANNOTATION_CORDONED = 'drover.dev/cordoned';

/** On a Node that is updated in place: UID of the MachineSet for which it was selected. */
export const ANNOTATION_UPDATE_FOR = 'drover.dev/update-for';
/**
 * On a Node whose VM is being deleted because it has no Machine: name of the class whose list showed the VM. Once the VM has
 * gone, nothing else tells a controller that was started meanwhile (hack/decisions/0055).
 */
export const ANNOTATION_ORPHAN_DELETION = 'drover.dev/orphan-deletion';

/** On node groups: what a Node of theirs is like, for a cluster-autoscaler that has none to look at (hack/spec/cluster-api.md E1). */
export const CAPACITY_PREFIX = 'capacity.cluster-autoscaler.kubernetes.io/';
/** On deployments: JSON of the annotations of that prefix that the controller wrote. */
export const ANNOTATION_CAPACITY_APPLIED = 'drover.dev/last-applied-capacity';
/** On a Node: JSON of the nodeTemplate that was last applied to it, so that what leaves it can be taken off (hack/spec/mcm.md 6.9). */
export const ANNOTATION_APPLIED_TEMPLATE = 'node.machine.sapcloud.io/last-applied-anno-labels-taints';
/** On a Node: JSON of the virtual capacity that was last written into its status (hack/spec/mcm.md 6.9). */
export const ANNOTATION_APPLIED_CAPACITY = 'node.machine.sapcloud.io/last-applied-virtual-capacity';
/** On a Node: its Machine, for the cluster-autoscaler's clusterapi provider with CAPI_GROUP set to ours (hack/spec/cluster-api.md E1). */
export const ANNOTATION_NODE_MACHINE = 'machine.sapcloud.io/machine';
export const ANNOTATION_NODE_NAMESPACE = 'machine.sapcloud.io/cluster-namespace';
export const ANNOTATION_NODE_CLUSTER = 'machine.sapcloud.io/cluster-name';

/** On the Node of a Failed Machine that is preserved, with effect NoSchedule (hack/spec/mcm.md 2.4). */
export const TAINT_PRESERVED = 'node.machine.sapcloud.io/preserved';
/** On Nodes of Gardener's workers: there somebody takes {@link TAINT_CRITICAL_COMPONENTS} off again. */
export const LABEL_GARDENER_POOL = 'worker.gardener.cloud/pool';
/** While a Node carries it with effect NoSchedule, a Pending Machine does not become Running (hack/spec/mcm.md 2.4). */
export const TAINT_CRITICAL_COMPONENTS = 'node.gardener.cloud/critical-components-not-ready';

/** Labels of a pod that say what a drain does with it, whatever rules say: Drover's, and Cluster API's. The first with a value that is known counts. */
export const POD_DRAIN_LABELS = ['drover.dev/drain', 'cluster.x-k8s.io/drain'] as const;

/** Label that the API server puts on each namespace: its name. */
export const LABEL_NAMESPACE_NAME = 'kubernetes.io/metadata.name';

/** Prefixes of annotations by which others hold a Machine before its Node is drained, and before its VM is deleted (hack/decisions/0000 2). */
export const PRE_DRAIN_HOOK = 'pre-drain.delete.hook.machine.cluster.x-k8s.io';
export const PRE_TERMINATE_HOOK = 'pre-terminate.delete.hook.machine.cluster.x-k8s.io';

/** On Machines, as in Cluster API; whether they are there counts: the Node is not drained, and nothing is waited for that its volumes do. */
export const EXCLUDE_DRAIN = 'machine.cluster.x-k8s.io/exclude-node-draining';
export const EXCLUDE_VOLUME_WAIT = 'machine.cluster.x-k8s.io/exclude-wait-for-node-volume-detach';
