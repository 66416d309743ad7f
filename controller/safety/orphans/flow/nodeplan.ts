import {
  ANNOTATION_NODE_NAMESPACE,
  ANNOTATION_NOT_MANAGED,
  LABEL_NODE,
  NODE_FINALIZER,
  NOT_MANAGED,
} from '../../../../schemas/keys.ts';
import type { Machine } from '../../../../schemas/machine.ts';
import type { MachineClass } from '../../../../schemas/machineclass.ts';
import { isOnlyKept } from '../../../../schemas/rules/machine.ts';
import type { ListedVm } from '../../../drivers/sdk/driver.ts';
import { endOf, vmEndsOf } from '../../../drivers/sdk/vmstatus.ts';
import type { NodeChange } from '../../../nodes/change.ts';
import { hasRecordedOwner, isControlPlane, recordedKey } from '../../../nodes/owner.ts';
import type { Node } from '../../../runtime/k8s/core.ts';
import { conditionOf } from '../../../runtime/k8s/core.ts';
import { type Beside, namespaceOf } from './plan.ts';

/** What is known beside a Node. Times in milliseconds. */
export interface NodesView {
  now: number;
  /** When the wall clock was set: ages that it tells count from then; 0 if it never was. */
  steppedAt: number;
  claims: NodeClaims;
  /** The only namespace that is looked after; empty for all. */
  namespace: string;
  /** A younger Node may be that of a Machine which has yet to record it. */
  creationMs: number;
}

/** What is written on a Node; with `release` MCM's finalizer goes, too: nobody else would take it off. */
export interface NodeMark {
  change: NodeChange;
  release: boolean;
}

/** What Machines of all namespaces say of Nodes. A mark takes nothing away: doubt spares a Node. */
export interface NodeClaims {
  /** Names of Nodes that Machines have by their label. */
  labelled: ReadonlySet<string>;
  /** Names of Machines that have yet to record their VM, and identities of the VMs of all others. */
  pending: ReadonlySet<string>;
  vms: ReadonlySet<string>;
}

/** The claims of these Machines. */
export function nodeClaimsOf(all: readonly Machine[], { isCreating }: Pick<Beside, 'isCreating'>): NodeClaims {
  const machines = all.filter((machine) => !isOnlyKept(machine));
  const isPending = ({ metadata, spec }: Machine) => !spec?.providerID || isCreating(metadata.uid ?? '');
  return {
    labelled: new Set(machines.flatMap(({ metadata }) => metadata.labels?.[LABEL_NODE] ?? [])),
    pending: new Set(machines.filter(isPending).map(({ metadata }) => metadata.name)),
    vms: new Set(machines.flatMap(vmEndsOf)),
  };
}

/**
 * MCM's mark of a Node that no Machine has: it is written on one that is older than a creation may take, and taken off as
 * soon as the Node has a Machine (hack/spec/mcm.md 8.3). Nothing else is done to such a Node: it is not ours. Undefined when there is
 * nothing to write.
 */
export function nodeMark(node: Node, view: NodesView): NodeMark | undefined {
  const { annotations = {}, finalizers = [], creationTimestamp = '' } = node.metadata;
  if (node.metadata.deletionTimestamp || isElsewhere(node, view)) return undefined;
  const isMarked = annotations[ANNOTATION_NOT_MANAGED] === NOT_MANAGED;
  if (hasMachine(node, view))
    return isMarked ? { change: { annotations: { [ANNOTATION_NOT_MANAGED]: null } }, release: false } : undefined;
  const release = finalizers.includes(NODE_FINALIZER);
  const isOld = view.now - Math.max(Date.parse(creationTimestamp), view.steppedAt) >= view.creationMs;
  if (!isOld || (isMarked && !release)) return undefined;
  return { change: { annotations: { [ANNOTATION_NOT_MANAGED]: NOT_MANAGED } }, release };
}

/** By label, by the VM, or by a Machine of its name that has yet to record either. */
const hasMachine = ({ metadata, spec }: Node, { claims }: NodesView): boolean =>
  claims.labelled.has(metadata.name) ||
  claims.pending.has(metadata.name) ||
  claims.vms.has(endOf(spec?.providerID ?? ''));

/** Its Machine is in a namespace that another controller looks after. */
function isElsewhere({ metadata }: Node, { namespace }: NodesView): boolean {
  const its = metadata.annotations?.[ANNOTATION_NODE_NAMESPACE];
  return namespace !== '' && its !== undefined && its !== namespace;
}

/** What is known when the Node of an orphan VM is looked for in a cluster. */
export interface OrphanNodeFacts {
  vm: ListedVm;
  /** The class whose list showed the VM. */
  machineClass: MachineClass;
  /** The Cluster that the Node is in; absent for the default target. */
  cluster: { namespace: string; name: string } | undefined;
  /** A Machine of whatever namespace names this VM. */
  isNamed(providerID: string): boolean;
}

/**
 * Whether a Node goes with a VM that had no Machine (hack/spec/mcm.md 13.17). A list says what the credentials of its class lead to: so
 * nothing goes in Clusters of other namespaces, nor for a mark that names another; and nothing that is recorded as another
 * Machine's (hack/decisions/0043). A Node that nobody recorded yet goes if the mark says that we made the VM, and no Machine
 * names it; a member of a control plane never does.
 */
export function goesWithVm(facts: OrphanNodeFacts, node: Node): boolean {
  const { vm, machineClass, cluster } = facts;
  const { namespace = '' } = machineClass.metadata;
  const isIts = node.spec?.providerID === vm.providerID && !node.metadata.deletionTimestamp;
  if (!isIts || namespaceOf(vm, machineClass) !== namespace) return false;
  if (cluster && cluster.namespace !== namespace) return false;
  return hasRecordedOwner(node) ? isRecorded(facts, node) : isUnrecordedOrphan(facts, node);
}

/** Our record on the Node names the Machine that the VM was made for. */
function isRecorded({ vm, machineClass }: OrphanNodeFacts, node: Node): boolean {
  const name = vm.owner?.name ?? vm.machineName;
  return (
    recordedKey(node) === `${machineClass.metadata.namespace}/${name}` &&
    (vm.owner?.uid !== undefined || !isControlPlane(node))
  );
}

const isUnrecordedOrphan = ({ vm, isNamed }: OrphanNodeFacts, node: Node): boolean =>
  isMarked(vm) && !isControlPlane(node) && !isNamed(vm.providerID);

/** The VM says that we made it: by the UID of its Machine or, where VMs have no such mark, by our installation. */
const isMarked = ({ owner, incarnation }: ListedVm): boolean => Boolean(owner ? owner.uid : incarnation);

/** A Node that is Ready, and of whose Lease nobody can say that it is renewed no more, may be that of a VM that lives. */
export const mayLive = ({ status }: Node, isSilent: boolean): boolean =>
  !isSilent && conditionOf({ status }, 'Ready')?.status === 'True';
