import { ANNOTATION_NODE_MACHINE, ANNOTATION_NODE_NAMESPACE, LABEL_FORCE_DELETION } from '../../../schemas/keys.ts';
import { pass, type StepState, wait } from '../../flow/flow.ts';
import { isControlPlane, recordedKey } from '../../nodes/owner.ts';
import type { Answer } from './drivercall.ts';
import { isForced } from './predicates.ts';
import { isRetained, staysBehind } from './retention.ts';
import type { MachineView, NodeFact } from './view.ts';

/** What becomes of members of a control plane, of which nothing says that they are their machine's (hack/decisions/0043). */

/** A member goes only with a VM whose mark says that it was made for the Machine, or by a record that somebody made by hand. */
export function onlyMember(view: MachineView): Answer {
  const { machine, vm, calls } = view;
  const node = strangeMember(view);
  if (!node || isRetained(machine) || isForced(machine) || vm.at === 'absent' || calls.deletion) return pass;
  return wait('ControlPlaneNode', Infinity, `${adviceOn(view, node)}; ${forceOn(view)}`);
}

/**
 * A Machine that goes by force leaves such a Node, and a VM without a mark as well: whoever makes a Machine may name the VM of
 * a control plane, and force it.
 */
export const leavesMember = (view: MachineView): boolean =>
  isForced(view.machine) && strangeMember(view) !== undefined && !isMarked(view);

/** What is said of both when the Machine goes without them. */
export const leftMember = ({ machine, node }: MachineView): string =>
  `VM ${machine.spec?.providerID} and its Node "${node.at === 'present' ? node.name : ''}", a member of a control plane, stay: no mark says that they were this machine's, and it was deleted by force`;

/** What is said of a Node that stays although its VM is gone; undefined when there is none. */
export function leftNode(view: MachineView): string | undefined {
  const { node, refused, claim } = view;
  if (node.at !== 'present' || node.deleting) return undefined;
  if (claim.at === 'unknown' && !node.ours)
    return `its Node "${node.name}" stays, for no record says that both were this machine's`;
  if (staysBehind(view))
    return `its Node "${node.name}" stays, for it is Ready, and the VM was to stay: kubectl delete node ${node.name}`;
  if (!refused.has('NodeDeleted') && strangeMember(view) === undefined) return undefined;
  return `its Node "${node.name}" stays, for it may not be deleted: kubectl delete node ${node.name}`;
}

/** What a Machine that lives shows of a Node that nothing is done to. */
export function memberState(view: MachineView): StepState | undefined {
  const node = strangeMember(view);
  return node && { type: 'Synced', status: 'False', reason: 'ControlPlaneNode', message: adviceOn(view, node) };
}

/** The Node, if it is a member that may not be touched for the Machine; one that is recorded for another is told otherwise. */
function strangeMember({ claim, node }: MachineView): Extract<NodeFact, { at: 'present' }> | undefined {
  if (claim.at !== 'own' || node.at !== 'present' || node.ours || !isControlPlane(node.object)) return undefined;
  return claim.marked && recordedKey(node.object) !== undefined ? undefined : node;
}

const isMarked = ({ claim }: MachineView): boolean => claim.at === 'own' && claim.marked;

function adviceOn({ machine: { metadata } }: MachineView, { name }: { name: string }): string {
  const record = `${ANNOTATION_NODE_MACHINE}=${metadata.name} ${ANNOTATION_NODE_NAMESPACE}=${metadata.namespace}`;
  return `Node "${name}" is a member of a control plane, and nothing but the machine's claim says that it is the machine's: nothing is done to it until somebody says so by hand: kubectl annotate node ${name} ${record}`;
}

const forceOn = (view: MachineView): string =>
  `the label ${LABEL_FORCE_DELETION}: "True" lets the machine go without the Node${isMarked(view) ? '' : ' and its VM'}`;
