import { ANNOTATION_NODE_MACHINE, FINALIZER } from '../../../schemas/keys.ts';
import { ownerText } from '../../drivers/sdk/vmowner.ts';
import { act, pass, wait } from '../../flow/flow.ts';
import { placedOrGone } from '../../model/readiness.ts';
import { isHeldByMcm } from '../../nodes/change.ts';
import { recordedKey } from '../../nodes/owner.ts';
import { refOf } from '../../runtime/k8s/object.ts';
import { afterPreDrainHook, afterPreTerminateHook } from './afterhook.ts';
import { deletionAllowed } from './checks.ts';
import { claimedOrLeft, isOthersNode, onOwnNode, unlessOthers } from './claim.ts';
import { neverBegun, served } from './classresolution.ts';
import { located } from './deletion.ts';
import { deletionBegun, drained } from './drain.ts';
import { type Answer, call } from './drivercall.ts';
import { hosted } from './hosting.ts';
import { unpausedMachine } from './pausingpausing.ts';
import { isForced } from './predicates.ts';
import { staysBehind, unlessRetained, vmRetained } from './retention.ts';
import { isReady, youngUntil } from './vanished.ts';
import type { MachineView } from './view.ts';
import { vmGone } from './vmabsence.ts';
import { detached, volumesReleased } from './volumes.ts';
import { unlessRefused } from './writefailures.ts';

/** What a deleted Machine goes through. Nothing below a step runs before that step is satisfied. */
export const leaving = unlessRefused({
  Unpaused: unpausedMachine,
  Guarded: ({ machine }) => (hasFinalizer(machine) ? pass : wait('NotOurs', Infinity, keptBy(machine))),
  DeletionAllowed: deletionAllowed,
  Placed: placedOrForced,
  Located: located,
  Claimed: claimedOrLeft,
  VmRetained: unlessOthers(vmRetained),
  Drained: afterPreDrainHook(unlessRetained(onOwnNode(drained))),
  Detached: unlessRetained(onOwnNode(detached)),
  VmDeleted: afterPreTerminateHook(unlessRetained(unlessOthers(vmDeleted))),
  VolumesReleased: unlessRetained(onOwnNode(volumesReleased)),
  NodeDeleted: onOwnNode(nodeDeleted),
  Released: () => act('RemoveFinalizer', { do: 'removeFinalizer' }),
});

/** A step of it, by name. */
export type LeavingStep = keyof typeof leaving;

/** A Machine that has no VM, or that is to go by force, waits for no cluster. */
function placedOrForced(view: MachineView): Answer {
  return isForced(view.machine) || neverBegun(view) ? pass : placedOrGone(view.cluster, view.now);
}

function nodeDeleted(view: MachineView): Answer {
  const { node } = view;
  if (staysBehind(view) || node.at !== 'present') return pass;
  if (node.deleting && !isHeldByMcm(node.object)) return pass;
  return act('DeleteNode', { do: 'deleteNode', name: node.name });
}

function vmDeleted(view: MachineView): Answer {
  const answered = view.calls.deletion && vmGone(view, view.calls.deletion);
  if (answered) return answered;
  const flying = view.calls.flying ?? view.update.flying;
  if (flying?.cancelled) return wait('DriverLettingGo', Infinity, `${flying.method} was told to give up`);
  const isAsked = flying?.method === 'getMachineStatus' && isUnheardOf(view);
  if (flying && flying.method !== 'deleteMachine' && !isAsked) return act('CancelCall', { do: 'cancelCall' });
  if (isUseless(view) && neverBegun(view)) return pass;
  const stays = flying ? undefined : (recordedForAnother(view) ?? hosted(view));
  if (stays) return stays;
  const blocked = served(view);
  if (blocked.kind !== 'pass') return blocked;
  const deletion = call(view, 'DeleteVm', 'deleteMachine');
  // Asked while it waits for a slot, it would have to be asked again when it has one.
  return deletion.kind === 'act' && isUnheardOf(view) ? call(view, 'AskVm', 'getMachineStatus') : deletion;
}

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
  return isReady(node) ? age > UNHEARD_MS.joined : age > UNHEARD_MS.young && youngUntil(view) > now;
}

/** How soon it is looked whether the Machine that is recorded is gone, milliseconds. */
const RECORDED_MS = 30_000;

/** The Node of the VM may not be touched, for another Machine is recorded on it: its pods would go with the VM undrained. */
function recordedForAnother(view: MachineView): Answer | undefined {
  const { claim, node, vm, machine } = view;
  const isHeld = claim.at === 'own' && vm.at !== 'absent' && isOthersNode(view);
  if (!isHeld || node.at !== 'present' || isForced(machine) || deletionBegun(view)) return undefined;
  const whose = ownerText(refOf(recordedKey(node.object) ?? ''), machine);
  const message = `Node "${node.name}" is that of the VM, and recorded as that of ${whose}: it cannot be drained; delete that machine, or take our record, the annotation ${ANNOTATION_NODE_MACHINE}, off the Node`;
  return wait('NodeOfAnother', RECORDED_MS, message);
}

/** Nobody can be asked to delete a VM. */
const isUseless = ({ class: { at } }: MachineView): boolean =>
  at === 'missing' || at === 'secretForeign' || at === 'secretMissing';

/** Those of somebody else, that take them off. */
function keptBy({ metadata: { finalizers = [] } }: MachineView['machine']): string | undefined {
  return finalizers.length > 0 ? `kept by finalizer ${finalizers.join(', ')}` : undefined;
}

/** Drover holds the Machine: it goes only when all that it had is gone. */
export const hasFinalizer = ({ metadata }: MachineView['machine']): boolean =>
  metadata.finalizers?.includes(FINALIZER) ?? false;
