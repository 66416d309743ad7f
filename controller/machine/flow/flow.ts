import { ANNOTATION_NODE_MACHINE, FINALIZER, PRE_DRAIN_HOOK, PRE_TERMINATE_HOOK } from '../../../schemas/keys.ts';
import { ownerText } from '../../drivers/sdk/vmstatus.ts';
import { act, type Decision, decide, pass, reasonOf, type Step, type Steps, wait } from '../../flow/flow.ts';
import { clusterReachable, clusterReachableOrGone } from '../../model/readiness.ts';
import { staysForMcm } from '../../nodes/change.ts';
import { recordedKey } from '../../nodes/owner.ts';
import { hasFinalizer, refOf } from '../../runtime/k8s/object.ts';
import { gated } from '../../safety/outage/gate.ts';
import { isOthersNode, onOwnNode, unlessOthers, vmClaimed, vmClaimedOrLeft } from './claim.ts';
import { classReady, classRecorded, fieldsSupported, neverBegun, served, specValid } from './classresolution.ts';
import { deletionAllowed, hosted, vmLocated } from './deletion.ts';
import { deletionBegun, drained } from './drain.ts';
import { type Answer, call, creationLeft, endCall, failureOf } from './drivercall.ts';
import { called, gating, unpausedMachine } from './gating.ts';
import { deletionNotRequested, nodeHealthy } from './health.ts';
import { updateRetry, vmUpToDate } from './hotupdate.ts';
import { inPlaceUpdated } from './inplaceupdate.ts';
import { inTime, nodeRegistered, pollAfter, vmCreated, vmInitialized } from './launch.ts';
import { emptyingTrouble } from './livedrain.ts';
import { nodeSynced, startupTaintRemoved } from './nodesync.ts';
import { hasJoined, hookOf, isForced, isNodeReady, youngUntil } from './predicates.ts';
import { preservationApplied, preservationLeft } from './preservation.ts';
import type { Reason } from './reasons.ts';
import { staysBehind, unlessRetained, vmRetained } from './retention.ts';
import type { CalledMethod, MachineAction, MachineView } from './view.ts';
import { goneThoughFailed, vmGone } from './vmabsence.ts';
import { volumesDetached, volumesReleased } from './volumes.ts';
import { refusalLeft, unlessHalted, unlessRefused } from './writefailures.ts';

/** What a living Machine goes through; the names are its status conditions, in this order. */
export const liveSteps = unlessRefused({
  Paused: unpausedMachine,
  SpecValid: inTime(specValid),
  ClassReady: inTime(classReady),
  FieldsSupported: fieldsSupported,
  FinalizerAdded: ({ machine }) =>
    hasFinalizer(machine, FINALIZER) ? pass : act('AddFinalizer', { do: 'addFinalizer' }),
  ClassRecorded: inTime(classRecorded),
  ClusterReachable: ({ cluster }) => clusterReachable(cluster),
  PreservationApplied: onOwnNode(preservationApplied),
  VMCreated: vmCreated,
  VMClaimed: vmClaimed,
  VMInitialized: vmInitialized,
  VMUpToDate: vmUpToDate,
  NodeRegistered: nodeRegistered,
  DeletionNotRequested: onOwnNode(deletionNotRequested),
  NodeSynced: onOwnNode(nodeSynced),
  InPlaceUpdated: inPlaceUpdated,
  NodeHealthy: nodeHealthy,
  StartupTaintRemoved: onOwnNode(startupTaintRemoved),
});

/** A step of it, by name. */
export type LiveStep = keyof typeof liveSteps;

/** The flow that the Machine is in. */
export const flowOf = ({ machine }: MachineView): Steps<MachineView, MachineAction> =>
  machine.metadata.deletionTimestamp ? deletionSteps : liveSteps;

/** What to do for the Machine now. */
export const plan = (view: MachineView): Decision<MachineAction> =>
  gated(unlessHalted(decide(flowOf(view), view), view), view, gating);

/** The method of which the Machine lacks a slot: with one it would be decided otherwise. */
export function methodAwaited(view: MachineView, decision: Decision<MachineAction>): CalledMethod | undefined {
  const { calls } = view;
  const without = (method: string) => calls.full.filter((other) => other !== method);
  const said = (now: Decision<MachineAction>) => `${now.step} ${now.outcome.kind} ${reasonOf(now)}`;
  return called.find(
    (method) =>
      calls.full.includes(method) &&
      said(plan({ ...view, calls: { ...calls, full: without(method) } })) !== said(decision),
  );
}

/** Milliseconds until something is due by itself, whatever the steps said: a poll, a retry, the end of creation. */
export function nextDeadline(view: MachineView): number {
  const { calls, now, machine } = view;
  const { failure, earlier = [] } = calls;
  const due = [failure, ...earlier].map((one) => (one?.retryAt ?? Infinity) - now);
  due.push(refusalLeft(view));
  if (!machine.metadata.deletionTimestamp) {
    due.push((calls.askedAt ?? Infinity) + pollAfter(view) - now, preservationLeft(view));
    due.push(emptyingTrouble(view).ms);
    due.push(updateRetry(view));
    if (!hasJoined(view)) due.push(creationLeft(view));
  }
  return Math.min(...due.filter((ms) => ms > 0));
}

type MachineStep = Step<MachineView, MachineAction, Reason>;

/**
 * What comes before a Node is drained waits for those who hold the Machine, whatever there is to drain: also when the Node has gone, is
 * not ours to touch, or is to stay. As in Cluster API, a Machine that never had a Node is not held.
 */
export const afterPreDrainHook =
  (step: MachineStep): MachineStep =>
  (view) => {
    // Who serves the class waits for hooks as well.
    const heedsHook = view.class.at !== 'foreign' && hadNode(view);
    return (heedsHook ? waitForHook(view, PRE_DRAIN_HOOK, 'WaitingForPreDrainHook') : undefined) ?? step(view);
  };

/** The VM is neither deleted nor left behind before those who hold the Machine let it go. */
export const afterPreTerminateHook =
  (step: MachineStep): MachineStep =>
  (view) =>
    waitForHook(view, PRE_TERMINATE_HOOK, 'WaitingForPreTerminateHook') ?? step(view);

/** Once the VM is being deleted there is nothing left to hold. */
function waitForHook(view: MachineView, prefix: string, reason: Reason): ReturnType<MachineStep> | undefined {
  const hook = deletionBegun(view) ? undefined : hookOf(view.machine, prefix);
  return hook ? wait(reason, Infinity, `the annotation ${hook} holds it`) : undefined;
}

/** A Node is there, or was seen: by us, or by MCM, which copied its conditions. */
const hadNode = ({ node, machine: { status } }: MachineView): boolean =>
  node.at === 'present' ||
  status?.nodeRef !== undefined ||
  (status?.conditions ?? []).some(({ type }) => type === 'Ready');

/** What a deleted Machine goes through. Nothing below a step runs before that step is satisfied. */
export const deletionSteps = unlessRefused({
  Paused: unpausedMachine,
  FinalizerAdded: ({ machine }) =>
    hasFinalizer(machine, FINALIZER) ? pass : wait('FinalizerMissing', Infinity, keptBy(machine)),
  DeletionAllowed: deletionAllowed,
  ClusterReachable: clusterReachableOrForced,
  VMLocated: vmLocated,
  VMClaimed: vmClaimedOrLeft,
  VMRetained: unlessOthers(vmRetained),
  Drained: afterPreDrainHook(unlessRetained(onOwnNode(drained))),
  VolumesDetached: unlessRetained(onOwnNode(volumesDetached)),
  VMDeleted: afterPreTerminateHook(unlessRetained(unlessOthers(vmDeleted))),
  VolumesReleased: unlessRetained(onOwnNode(volumesReleased)),
  NodeDeleted: onOwnNode(nodeDeleted),
  FinalizerRemoved: () => act('RemoveFinalizer', { do: 'removeFinalizer' }),
});

/** A step of it, by name. */
export type DeletionStep = keyof typeof deletionSteps;

/** A Machine that has no VM, or that is to go by force, waits for no cluster. */
function clusterReachableOrForced(view: MachineView): Answer {
  return isForced(view.machine) || neverBegun(view) ? pass : clusterReachableOrGone(view.cluster, view.now);
}

function nodeDeleted(view: MachineView): Answer {
  const { node } = view;
  if (staysBehind(view) || node.at !== 'present') return pass;
  if (node.deleting && !staysForMcm(node.object)) return pass;
  return act('DeleteNode', { do: 'deleteNode', name: node.name });
}

function vmDeleted(view: MachineView): Answer {
  const answered = view.calls.deletion && vmGone(view, view.calls.deletion);
  if (answered) return answered;
  const inFlight = view.calls.inFlight ?? view.update.inFlight;
  if (inFlight?.cancelled) return wait('DriverCallCancelling', Infinity, `${inFlight.method} was told to give up`);
  const isAsked = inFlight?.method === 'getMachineStatus' && (isUnheardOf(view) || hasFailedToDelete(view));
  if (inFlight && inFlight.method !== 'deleteMachine' && !isAsked) return endCall(view, inFlight);
  if (isUseless(view) && neverBegun(view)) return pass;
  const stays = inFlight ? undefined : (recordedForAnother(view) ?? hosted(view));
  if (stays) return stays;
  const blocked = served(view);
  if (blocked.kind !== 'pass') return blocked;
  const gone = goneThoughFailed(view);
  if (gone) return gone;
  const deletion = call(view, 'DeleteVM', 'deleteMachine');
  // Asked while it waits for a slot, it would have to be asked again when it has one.
  return deletion.kind === 'act' && isUnheardOf(view) ? call(view, 'GetVMStatus', 'getMachineStatus') : deletion;
}

const hasFailedToDelete = ({ calls }: MachineView): boolean => failureOf(calls, ['deleteMachine']) !== undefined;

/**
 * What the driver has said of the VM is older than that when it is asked once more before it is to delete it, milliseconds. It is not so soon that
 * a look which comes late has it asked again.
 */
const UNHEARD_MS = { joined: 60_000, young: 10_000 };

/**
 * The VM seems to live, and the driver has not told of it lately, or has only made it. Many answer a deletion in the same words whether
 * they found a VM or not: so it is known from before whether they see it. By force nobody is asked.
 */
function isUnheardOf(view: MachineView): boolean {
  const { vm, calls, node, machine, now } = view;
  if (vm.at !== 'present' || vm.assumed || isForced(machine) || calls.askedAt === undefined) return false;
  const age = now - calls.askedAt;
  if (isNodeReady(node)) return age > UNHEARD_MS.joined;
  return (age > UNHEARD_MS.young || !calls.shown) && youngUntil(view) > now;
}

/** How soon it is looked whether the Machine that is recorded is gone, milliseconds. */
const RECORDED_MS = 30_000;

/** The Node of the VM may not be touched, for another Machine is recorded on it: its pods would go with the VM undrained. */
function recordedForAnother(view: MachineView): Answer | undefined {
  const { claim, node, vm, machine } = view;
  const isOwnVm = claim.at === 'own' && vm.at !== 'absent' && isOthersNode(view);
  if (!isOwnVm || node.at !== 'present' || isForced(machine) || deletionBegun(view)) return undefined;
  const whose = ownerText(refOf(recordedKey(node.object) ?? ''), machine);
  const message = `Node "${node.name}" is that of the VM, and recorded as that of ${whose}: it cannot be drained; delete that machine, or take our record, the annotation ${ANNOTATION_NODE_MACHINE}, off the Node`;
  return wait('NodeOwnedByAnother', RECORDED_MS, message);
}

/** Nobody can be asked to delete a VM. */
const isUseless = ({ class: { at } }: MachineView): boolean =>
  at === 'missing' || at === 'secretForeign' || at === 'secretMissing';

/** Those of somebody else, that take them off. */
function keptBy({ metadata: { finalizers = [] } }: MachineView['machine']): string | undefined {
  return finalizers.length > 0 ? `kept by finalizer ${finalizers.join(', ')}` : undefined;
}
