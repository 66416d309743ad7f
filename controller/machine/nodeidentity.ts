import type { Machine } from '../../schemas/machine.ts';
import { isControlPlane, recordedKey, recordedOwner } from '../nodeowner.ts';
import type { Node } from '../runtime/core.ts';
import { confirmedAt } from '../vmconfirmed.ts';
import { vmIdentity } from '../vmidentity.ts';
import type { ClaimFact, Told } from './claim.ts';

/** What is known of whose Nodes are. */
export interface NodeFacts {
  machine: Machine;
  claim: ClaimFact;
  /** The driver's last word on the Machine's VM in this process. */
  told: Told | undefined;
  /** There is no VM any more, or none that the Machine names. */
  isAbsent: boolean;
  /** Machines whose label names the Node. */
  namesakes: readonly Machine[];
  /** Whether a Machine of this key is there, or may be: not every namespace is looked after. */
  mayExist(key: string): boolean;
}

/**
 * Whether a Node is that of the VM that the Machine names: by providerID, of which clouds write the middle in several ways
 * (MCM 9.1: it should equal the Node's), unless another Machine's is the very same. That is enough to look at it.
 */
export function isNodeOf(facts: NodeFacts, node: Node): boolean {
  const { machine, namesakes } = facts;
  const theirs = node.spec?.providerID;
  const own = machine.spec?.providerID;
  if (!theirs) return isNamelessNodeOf(facts, node);
  if (!own || theirs === own) return theirs === own;
  return vmIdentity(theirs) === vmIdentity(own) && !namesakes.some(({ spec }) => spec?.providerID === theirs);
}

/**
 * Whether anything may be done to a Node that is that of the VM: the driver has confirmed the VM to be the Machine's, or
 * the VM is gone and our record, on the Node or on the Machine, says that it was its. A record of another Machine stands against
 * that as long as that one exists: a VM may go on under a new name. A member of a control plane is its own by the VM's mark alone.
 */
export function isOwnNode({ machine, claim, isAbsent, mayExist }: NodeFacts, node: Node): boolean {
  if (claim.at === 'own' && claim.marked) return true;
  const recorded = recordedOwner(node, machine);
  if (isControlPlane(node) || (recorded === 'another' && mayExist(recordedKey(node) ?? ''))) return false;
  const isKnown = recorded === 'this' || confirmedAt(machine) !== undefined;
  return claim.at === 'own' || (claim.at === 'unknown' && isAbsent && isKnown);
}

/**
 * A Node without a providerID: our record on it decides; without one it is that of the Machine for whose VM the driver has
 * named it, if no other Machine has it and it was not there before. Before the driver has spoken the label is believed.
 */
function isNamelessNodeOf({ machine, told, namesakes }: NodeFacts, node: Node): boolean {
  const recorded = recordedOwner(node, machine);
  if (recorded !== 'none') return recorded === 'this';
  const isAlone = namesakes.every(({ metadata }) => metadata.uid === machine.metadata.uid);
  const isNamed = !told || told.nodeName === node.metadata.name;
  return isAlone && isNamed && !isOlder(node, machine);
}

/** Another VM's Node that was there before the Machine, and stays: the new VM's Node cannot take its place (MCM 6.4). */
export const isStale = (machine: Machine, node: Node): boolean =>
  Boolean(node.spec?.providerID) && isOlder(node, machine) && !node.metadata.deletionTimestamp;

const isOlder = (node: Node, machine: Machine): boolean =>
  Date.parse(node.metadata.creationTimestamp ?? '') < Date.parse(machine.metadata.creationTimestamp ?? '');
