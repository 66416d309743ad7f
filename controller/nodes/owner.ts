import {
  ANNOTATION_CORDONED,
  ANNOTATION_NODE_CLUSTER,
  ANNOTATION_NODE_MACHINE,
  ANNOTATION_NODE_NAMESPACE,
  ANNOTATION_ORPHAN_DELETION,
  CONTROL_PLANE_LABELS,
  LABEL_CLUSTER,
  LABEL_MACHINE_NAME,
} from '../../schemas/keys.ts';
import type { Machine } from '../../schemas/machine.ts';
import type { MachineClass } from '../../schemas/machineclass.ts';
import { isSubdomain } from '../../schemas/selector.ts';
import type { ListedVm } from '../drivers/sdk/driver.ts';
import type { Node } from '../runtime/k8s/core.ts';
import { type KubeObject, keyOf } from '../runtime/k8s/object.ts';
import type { NodeChange } from './change.ts';

/** Whose a Node is: the Machine, or what is left to tell of one that is gone. */
export type NodeOwner = Pick<KubeObject, 'metadata'>;

/**
 * The annotations that tell whose a Node is: for the cluster-autoscaler's clusterapi provider (hack/spec/cluster-api.md E1), and for the policy
 * by which the API server lets this account touch no other Nodes (hack/decisions/0038).
 */
export const ownership = ({ metadata: { name, namespace = '', labels } }: NodeOwner): Record<string, string> => ({
  [ANNOTATION_NODE_MACHINE]: name,
  [ANNOTATION_NODE_NAMESPACE]: namespace,
  ...(labels?.[LABEL_CLUSTER] && { [ANNOTATION_NODE_CLUSTER]: labels[LABEL_CLUSTER] }),
});

/** Whether our record of an owner is on the Node, complete or not. */
export const hasRecordedOwner = ({ metadata }: Node): boolean =>
  Boolean(metadata.annotations?.[ANNOTATION_NODE_MACHINE]);

/** The change, and with it the record of the owner where the Node has none: that must be the first thing that is written on a Node. */
export const recordingOwner = (owner: NodeOwner, node: Node, change: NodeChange): NodeChange =>
  hasRecordedOwner(node) ? change : { ...change, annotations: { ...change.annotations, ...ownership(owner) } };

/**
 * Whose a Node is by our own record on it, which is written once the driver has confirmed the VM: this Machine's,
 * another's, or nobody's yet.
 */
export function recordedOwner(node: Node, machine: Machine): 'this' | 'another' | 'none' {
  const key = recordedKey(node);
  if (key === undefined) return 'none';
  return key === keyOf(machine) ? 'this' : 'another';
}

/** The key of the Machine that our record on a Node names; undefined where nobody was recorded yet. */
export function recordedKey(node: Node): string | undefined {
  const owner = recordedOn(node);
  return owner && `${owner.namespace}/${owner.name}`;
}

/** The same in its parts. */
export function recordedOn({ metadata: { annotations } }: Node): { name: string; namespace: string } | undefined {
  const name = annotations?.[ANNOTATION_NODE_MACHINE];
  const namespace = annotations?.[ANNOTATION_NODE_NAMESPACE];
  return name === undefined || namespace === undefined ? undefined : { name, namespace };
}

/**
 * A machine controller has written the Machine's name on the Node: MCM's does so with each of its own (hack/spec/mcm.md 2.3). Who may only write
 * Machines, in whatever words, has no Node named.
 */
export const isNamed = ({ metadata: { labels } }: Node, machine: Machine): boolean =>
  labels?.[LABEL_MACHINE_NAME] === machine.metadata.name;

/** The Node runs a control plane (kubeadm's labels, the older one included). */
export const isControlPlane = ({ metadata: { labels } }: Node): boolean =>
  CONTROL_PLANE_LABELS.some((label) => labels?.[label] !== undefined);

/** By how much the clocks of two clusters may differ, as Kerberos has it. */
const SKEW_MS = 300_000;

/** By what the two say, the Node was there before the Machine, by so much at least. */
export const isOlder = (node: Node, machine: Machine, byMs = 0): boolean =>
  Date.parse(node.metadata.creationTimestamp ?? '') + byMs < Date.parse(machine.metadata.creationTimestamp ?? '');

/**
 * The Node is of a time before the Machine. Its birth is by the clock of its own cluster, a Machine's by that of another; and a
 * Machine that was restored or moved is made anew: MCM has written its name on its Node (hack/spec/mcm.md 2.3).
 */
export const isFromBefore = (node: Node, machine: Machine): boolean =>
  isOlder(node, machine, SKEW_MS) && !isNamed(node, machine);

/**
 * Whose the cordon of a Node is, noted on the Node with it (hack/decisions/0028 O14, O17): one that somebody else had put on
 * is not ours to take off. MCM notes none: that of a Node which it had selected for an update in place counts as its own.
 */
const OURS = 'true';
const OTHERS = 'by-others';

/** The Node takes no more pods; the cordon is noted as ours unless there is one. Good for the Node as it was seen only (change.ts). */
export const cordoned = ({ spec }: Node): NodeChange =>
  spec?.unschedulable ? {} : { unschedulable: true, annotations: { [ANNOTATION_CORDONED]: OURS } };

/** The same for a Node whose cordon is to be taken off again once it is updated: that of somebody else is noted, too. */
export const cordonedForNow = (node: Node): NodeChange =>
  node.spec?.unschedulable && noteOf(node) === undefined
    ? { annotations: { [ANNOTATION_CORDONED]: OTHERS } }
    : cordoned(node);

/** The Node takes pods again, unless it is noted that somebody else had cordoned it; the note goes. */
export const uncordoned = (node: Node): NodeChange => ({
  ...(noteOf(node) !== OTHERS && { unschedulable: false }),
  annotations: { [ANNOTATION_CORDONED]: null },
});

/** Something is noted of the Node's cordon. */
export const isCordonNoted = (node: Node): boolean => noteOf(node) !== undefined;

const noteOf = ({ metadata }: Node): string | undefined => metadata.annotations?.[ANNOTATION_CORDONED];

/** The annotation that says so, which has to be there before the VM is deleted: the Node alone is left then. */
export const deletionNote = ({ metadata }: Pick<MachineClass, 'metadata'>): Record<string, string> => ({
  [ANNOTATION_ORPHAN_DELETION]: metadata.name,
});

/**
 * An index of Nodes whose VM was to be deleted as an orphan: by the key of the class whose list showed it. Who runs a cluster writes on
 * its Nodes what he likes, a kubelet on its own: so a note counts for its own Node alone, and only beside our record, whose
 * namespace is the class's (hack/decisions/0028 T58).
 */
export const byDeletion = (node: Node): string[] => {
  const className = node.metadata.annotations?.[ANNOTATION_ORPHAN_DELETION];
  const owner = recordedOn(node);
  const isReadable = className !== undefined && isSubdomain(className) && notedVm(node) !== undefined;
  return isReadable ? [`${owner?.namespace}/${className}`] : [];
};

/** The VM of such a Node, as the VM of the Machine that is recorded on it: nothing proves that it ever was one's with any UID. */
export function notedVm(node: Node): ListedVm | undefined {
  const { providerID = '' } = node.spec ?? {};
  const owner = recordedOn(node);
  const isReadable = providerID !== '' && providerID.length <= MOST_ID && isSubdomain(node.metadata.name);
  if (!isReadable || !owner || !isSubdomain(owner.name) || !isSubdomain(owner.namespace)) return undefined;
  return { providerID, machineName: owner.name, owner };
}

/** Longer ids no cloud has: those that there are have some hundred characters. */
export const MOST_ID = 1_024;
