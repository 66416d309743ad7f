import { ANNOTATION_NODE_MACHINE, ANNOTATION_NODE_NAMESPACE, LABEL_FORCE_DELETION } from '../../../schemas/keys.ts';
import { act, fail, pass, type Step, type StepState, wait } from '../../flow/flow.ts';
import { confirmation, confirmedAt } from '../../model/machine.ts';
import { isControlPlane, recordedKey } from '../../nodes/owner.ts';
import { neverBegun, served } from './classresolution.ts';
import { deletionBegun } from './drain.ts';
import { type Answer, call, endCall, failureOf, POLL_HEALTHY_MS } from './drivercall.ts';
import { awaited } from './nodegiven.ts';
import { deletionOf } from './outage.ts';
import { isForced, lossOf } from './predicates.ts';
import type { Reason } from './reasons.ts';
import { isRetained, staysBehind } from './retention.ts';
import type { MachineAction, MachineView, NodeFact } from './view.ts';
import { doubtLeft, isDoubted } from './vmdoubt.ts';

/** The VM is the Machine's own, as far as anybody has said; nothing is done to one that is another's. */
export function vmClaimed(view: MachineView): Answer {
  const { claim } = view;
  if (claim.at === 'others') return fail('VMClaimedByAnother', othersVm(view));
  if (claim.at === 'heir') return claimAnew(view);
  return unrecorded(view) ?? pass;
}

/** A Machine that leaves takes with it what is its own, and waits until the driver has said what that is. */
export function vmClaimedOrLeft(view: MachineView): Answer {
  const { claim, vm, calls, machine } = view;
  if (claim.at === 'foreign') return foreignLeft(view);
  if (claim.at === 'heir' && vm.at !== 'absent') return claimAnew(view);
  if (claim.at === 'own') return (deletionBegun(view) ? undefined : confirmedLately(view)) ?? onlyMember(view);
  const isLeft = vm.at === 'absent' || calls.deletion || isForced(machine);
  const moved = claim.at === 'others' && !isLeft ? claim.installation : undefined;
  if (moved) return wait('VMOfAnotherInstallation', Infinity, movedVm(view, moved));
  if (claim.at === 'others' || !machine.spec?.providerID || calls.deletion) return pass;
  // Its record says whose the VM is, where the driver says nothing (hack/decisions/0051 L128).
  if (vm.at === 'unknown' && isInVain(view) && confirmedAt(machine) !== undefined) return pass;
  return vm.at === 'absent' ? deniedUnheard(view) : askVm(view);
}

/**
 * A Node is drained only once the driver, or a record, says whose the VM is. Where the driver denies the VM of a Node that may not be
 * touched, that answer must be confirmed before anything goes on.
 */
function deniedUnheard(view: MachineView): Answer {
  if (!isOthersNode(view) || deletionBegun(view) || !isDoubted(view)) return pass;
  const left = view.calls.inFlight ? 0 : doubtLeft(view);
  return left > 0 ? wait('NotFound', left, `${lossOf(view)}, whose Node is there: it is asked again`) : askVm(view);
}

/** Which VM and Node are the Machine's, and, if the driver has confirmed it, that it has. */
export const recordingOf = (
  view: MachineView,
  { providerID, nodeName, madeOf }: Extract<MachineView['vm'], { at: 'present' }>,
) =>
  ({
    do: 'recordVm',
    // An id on record stays as it is written, whatever words the driver has for it: the API server lets nobody change it.
    providerID: view.machine.spec?.providerID ?? providerID,
    nodeName,
    ...(madeOf !== undefined && { madeOf }),
    ...(view.claim.at === 'own' && { confirmed: confirmedBy(view, view.machine.spec?.providerID ?? providerID) }),
  }) as const;

/** What is noted once the VM is the Machine's. */
const confirmedBy = (view: MachineView, providerID: string): Record<string, string> => ({
  ...(confirmedAt(view.machine) === undefined && awaited(view)),
  ...confirmation(view.machine, providerID, view.now),
});

/**
 * The driver has confirmed lately whose the VM is, or is asked before anything is taken from it; and the answer is recorded. An answer that
 * does not come holds up everything but a forced deletion.
 */
const confirmedLately = (view: MachineView): Answer | undefined =>
  isLongAgo(view) && !isTaking(view) && !isInVain(view) ? askVm(view) : unrecorded(view);

/** The driver's last word is older than those on living machines become. */
const isLongAgo = ({ calls: { askedAt }, now }: MachineView): boolean =>
  askedAt !== undefined && now - askedAt > POLL_HEALTHY_MS;

/** What belongs to the Machine is being taken already, or is gone. */
const isTaking = ({ machine, vm }: MachineView): boolean =>
  vm.at === 'absent' || deletionOf(machine)?.drain !== undefined;

/** The driver has not answered, or cannot be asked, and the Machine is to go by force, or never had a VM. */
export function isInVain(view: MachineView): boolean {
  const cannotAsk = served(view).kind !== 'pass';
  if (cannotAsk && neverBegun(view)) return true;
  return isForced(view.machine) && (cannotAsk || failureOf(view.calls, ['getMachineStatus']) !== undefined);
}

/** The driver says how the VM stands before anything else; what it does for a Machine that is to live, it gives up. */
function askVm(view: MachineView): Answer {
  const { inFlight } = view.calls;
  if (inFlight?.cancelled) return wait('DriverCallCancelling', Infinity, `${inFlight.method} was told to give up`);
  if (inFlight && inFlight.method !== 'getMachineStatus') return endCall(view, inFlight);
  const blocked = served(view);
  return blocked.kind === 'pass' ? call(view, 'GetVMStatus', 'getMachineStatus') : blocked;
}

/** What was confirmed is noted on the Machine, once. */
function unrecorded(view: MachineView): Answer | undefined {
  const { claim, machine, refused } = view;
  const { providerID } = machine.spec ?? {};
  if (claim.at !== 'own' || !providerID || confirmedAt(machine) !== undefined || refused.has('VMClaimed'))
    return undefined;
  return act('RecordVMClaim', { do: 'annotate', annotations: confirmedBy(view, providerID) });
}

/** A step that takes something from VM or Node has nothing to do where they are another's, or may be. */
export const unlessOthers =
  (step: Step<MachineView, MachineAction, Reason>): Step<MachineView, MachineAction, Reason> =>
  (view) =>
    view.claim.at === 'others' || view.claim.at === 'foreign' || leavesMember(view) ? pass : step(view);

/** A step that writes to the Node passes until it is confirmed that the Node is the Machine's. */
export const onOwnNode =
  (step: Step<MachineView, MachineAction, Reason>): Step<MachineView, MachineAction, Reason> =>
  (view) =>
    isOthersNode(view) ? pass : step(view);

/** The Node is there to be looked at, and not to be touched. */
export const isOthersNode = ({ node }: MachineView): boolean => node.at === 'present' && !node.ours;

/** What is said of a VM that is another's. */
export function othersVm({ claim, machine, vm }: MachineView): string {
  const id = machine.spec?.providerID ?? (vm.at === 'present' ? vm.providerID : '');
  const { whose, installation } = claim.at === 'others' ? claim : { whose: '' };
  const alone = installation ? `, ${orFormerId(machine, installation)}` : '';
  return `VM ${id} is that of ${whose}: it is left alone, and so is its Node; if that is this machine before it was moved or restored, set --installation-id to the id that it had${alone}`;
}

/** There is no VM to delete, and none to mark: that of the id, if any, stays as it was asked to. All else a person decides. */
const foreignLeft = (view: MachineView): Answer =>
  isForced(view.machine) || isRetained(view.machine) ? pass : wait('ProviderIDInvalid', Infinity, foreignId(view));

/** What is said of a Machine that went nevertheless. */
export function foreignGone({ machine }: MachineView): string {
  const { providerID } = machine.spec ?? {};
  const stays = `VM ${providerID}, if there is one, stays, and is not marked as left on purpose`;
  return `${isRetained(machine) ? stays : 'It went by force without a VM'}: ${providerID} is no id that its driver has`;
}

/** What is said of an id that no VM of the driver can have; the API server lets nobody change it. */
export const foreignId = ({ machine, class: fact }: MachineView): string =>
  `spec.providerID ${machine.spec?.providerID} is no id of a VM of ${fact.at === 'ours' ? `the driver ${fact.class.provider}` : 'its driver'}, so that there is nothing to delete: the label force-deletion: "True" lets the machine go; if another cloud has a VM of that id, that stays, and is yours to delete`;

/** What is said of a VM that would be forgotten with the only Machine that names it. */
const movedVm = ({ machine }: MachineView, { its, ours }: { its: string; ours: string }): string =>
  `VM ${machine.spec?.providerID ?? ''} was made for a machine of this namespace and name by the installation ${its}, and this is ${ours}: if that is this machine before it was moved or restored, set --installation-id=${its}, ${orFormerId(machine, { its })}; if not, the label force-deletion: "True" lets the machine go without the VM`;

/** What to set where the control plane goes on, and has taken in a namespace of another one (hack/decisions/0047). */
const orFormerId = ({ metadata: { namespace } }: MachineView['machine'], { its }: { its: string }): string =>
  `or, if its namespace alone was moved here, --former-installation-ids=${namespace}=${its}`;

const claimAnew = (view: MachineView): Answer => {
  const blocked = served(view);
  return blocked.kind === 'pass' ? call(view, 'ClaimVM', 'claimMachine') : blocked;
};

/** What becomes of members of a control plane, of which nothing says that they are their machine's (hack/decisions/0043). */

/** A member goes only with a VM whose mark says that it was made for the Machine, or by a record that somebody made by hand. */
export function onlyMember(view: MachineView): Answer {
  const { machine, vm, calls } = view;
  const node = strangeMember(view);
  if (!node || isRetained(machine) || isForced(machine) || vm.at === 'absent' || calls.deletion) return pass;
  return wait('ControlPlaneNode', Infinity, `${adviceOn(view, node)}; ${forceOn(view)}`);
}

/**
 * A Machine that is deleted by force leaves such a Node alone, and a VM without a mark as well: anybody who can create a Machine could name
 * the VM of a control plane in it, and force its deletion.
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
  return node && { type: 'NodeSynced', status: 'False', reason: 'ControlPlaneNode', message: adviceOn(view, node) };
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
