import type { MachineClass } from '../../../../schemas/machineclass.ts';
import type { ListedVm } from '../../../drivers/sdk/driver.ts';
import { isClaimed, isControlPlane, recordedKey } from '../../../nodes/owner.ts';
import type { Node } from '../../../runtime/k8s/core.ts';
import { namespaceOf } from './claims.ts';

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
 * Whether a Node goes with a VM that had no Machine (MCM 13.17). A list says what the credentials of its class lead to: so
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
  return isClaimed(node) ? isRecorded(facts, node) : isUnclaimed(facts, node);
}

/** Our record on the Node names the Machine that the VM was made for. */
function isRecorded({ vm, machineClass }: OrphanNodeFacts, node: Node): boolean {
  const name = vm.owner?.name ?? vm.machineName;
  return (
    recordedKey(node) === `${machineClass.metadata.namespace}/${name}` &&
    (vm.owner?.uid !== undefined || !isControlPlane(node))
  );
}

const isUnclaimed = ({ vm, isNamed }: OrphanNodeFacts, node: Node): boolean =>
  isMarked(vm) && !isControlPlane(node) && !isNamed(vm.providerID);

/** The VM says that we made it: by the UID of its Machine or, where VMs have no such mark, by our installation. */
const isMarked = ({ owner, incarnation }: ListedVm): boolean => Boolean(owner ? owner.uid : incarnation);
