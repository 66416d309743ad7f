import { pass, wait } from '../../flow/flow.ts';
import { isInline } from '../../model/class.ts';
import { confirmedAt } from '../../model/machine.ts';
import { isInVain } from './claim.ts';
import { neverBegun, served } from './classresolution.ts';
import { type Answer, call, failing, failureOf } from './drivercall.ts';
import { isForced, VANISHED_MS, youngUntil } from './predicates.ts';
import { staysBehind } from './retention.ts';
import type { DeletionFact, MachineView } from './view.ts';
import {
  askedNext,
  comesUntil,
  DOUBT_MS,
  doubtedUntil,
  doubtLeft,
  hasNamesakes,
  isDoubted,
  isHeard,
  outweighedSince,
} from './vmdoubt.ts';

/** A VM that is there for so long after its deletion was answered is deleted once more, milliseconds. */
export const REPEAT_MS = 600_000;

/**
 * A deletion that was answered is over when the driver no longer knows the VM: many clouds answer it as soon as they have
 * begun. Undefined when the driver is to be asked for the deletion once more (hack/decisions/0055).
 */
export function vmGone(view: MachineView, deletion: DeletionFact): Answer | undefined {
  const { calls, now } = view;
  if (isGone(view, deletion) || isInVain(view)) return pass;
  if (isDue(view, deletion) || calls.inFlight?.method === 'deleteMachine') return undefined;
  const left = (hasNamesakes(view) ? doubtedUntil(view, deletion) : askAt(view, deletion)) - now;
  if (left > 0 || (calls.inFlight && !calls.inFlight.cancelled))
    return wait('VMTerminating', left > 0 ? left : Infinity, says(view, deletion));
  const blocked = served(view);
  return blocked.kind === 'pass' ? call(view, 'GetVMStatus', 'getMachineStatus') : blocked;
}

/**
 * The driver goes on failing to delete the VM, as many do where there is none: it is asked about the VM before it is to delete it again, and
 * believed as of one whose deletion was not asked for. Undefined when it may be asked for the deletion (hack/decisions/0051 L127).
 */
export function goneThoughFailed(view: MachineView): Answer | undefined {
  const { vm, calls, now } = view;
  const failure = failureOf(calls, ['deleteMachine']);
  if (!failure || vm.at === 'present' || calls.inFlight?.method === 'deleteMachine') return undefined;
  const comesFor = isForced(view.machine) ? 0 : comesUntil(view) - now;
  if (vm.at === 'absent' && !isDoubted(view) && comesFor <= 0) return pass;
  if (failing(view, 'getMachineStatus') || hasNamesakes(view)) return undefined;
  const isDue = failure.retryAt <= now;
  const isLong = now - (failure.since ?? now) >= DOUBT_MS;
  if (vm.at === 'unknown') return isDue && isLong ? call(view, 'GetVMStatus', 'getMachineStatus') : undefined;
  if (isDue) return undefined;
  const left = Math.max(doubtLeft(view), comesFor);
  if (left <= 0) return call(view, 'GetVMStatus', 'getMachineStatus');
  return wait(failure.code, Math.min(left, failure.retryAt - now), failure.message);
}

/** The VM exists, or may exist, although its deletion was answered. */
function isDue(view: MachineView, deletion: DeletionFact): boolean {
  const { vm, now } = view;
  const isLate = now - deletion.at >= REPEAT_MS;
  if (vm.at === 'present') return deletion.denied === true || isLate;
  const until = doubtedUntil(view, deletion);
  return (deletion.at < until && now >= until) || (isLate && isHeard(view, outweighedSince(view, deletion)));
}

/** The driver has denied the VM late enough, or cannot say: then its answer to the deletion is all that is known. */
function isGone(view: MachineView, deletion: DeletionFact): boolean {
  const { vm, calls } = view;
  if (vm.at === 'present') return vm.assumed === true;
  if (hasNamesakes(view)) return deletion.at >= doubtedUntil(view, deletion);
  if (vm.at === 'unknown' || !deletion.heard) return false;
  return (calls.askedAt ?? 0) >= believedFrom(view, deletion);
}

/**
 * From when on the answer of a driver that there is no VM is believed. If the driver denied the VM already before its deletion, or the VM
 * ran on after it, the driver must say so again some time later. A young VM whose Node has not joined may not be listed by the cloud yet,
 * neither at its deletion nor now. Signs that the VM lives outweigh the answer (vmdoubt.ts).
 */
function believedFrom(view: MachineView, deletion: DeletionFact): number {
  const { at } = deletion;
  if (isForced(view.machine)) return at;
  if (isHeard(view, outweighedSince(view, deletion))) return Infinity;
  const until = doubtedUntil(view, deletion);
  const since = outweighedSince(view, deletion);
  if (since !== undefined) return Math.max(since + VANISHED_MS, until);
  const isKnown = youngUntil(view) <= view.now || neverBegun(view);
  return Math.max(isKnown ? at : at + VANISHED_MS, until);
}

/** When the driver is asked next: the longer it takes, the less often; as soon as its answer would be believed, if that is near. */
function askAt(view: MachineView, deletion: DeletionFact): number {
  const asked = Math.max(view.calls.askedAt ?? 0, deletion.at);
  const from = believedFrom(view, deletion);
  const isKept = deletion.heard && asked >= from;
  return askedNext(view, { since: deletion.at, from: isKept ? Infinity : from });
}

function says(view: MachineView, deletion: DeletionFact): string {
  const { vm, machine } = view;
  const which = `VM ${machine.spec?.providerID ?? ''}`.trim();
  if (vm.at === 'present') return `the deletion of ${which} was accepted, and the driver says that it is still there`;
  if (isHeard(view, outweighedSince(view, deletion)))
    return `the driver says that there is no ${which}, but the Lease of its Node is renewed: it lives`;
  if (doubtedUntil(view, deletion) > deletion.at)
    return `the driver says that there is no ${which}, and may not know of it: it is asked again, and for the deletion once more`;
  return `the deletion of ${which} was accepted: the driver is asked whether it is gone`;
}

/**
 * Until when a VM of a Machine that is being deleted may still turn up, milliseconds since the epoch: that of a create call without an
 * answer, or one so young that the cloud does not list it yet. Undefined where none can. No sweep lists the VMs of an inline class
 * (hack/decisions/0022).
 */
export function vmComesUntil(view: MachineView): number | undefined {
  const { machine, now } = view;
  if (isInline(machine) || staysBehind(view) || neverBegun(view)) return undefined;
  const until = Math.max(comesUntil(view), inheritedUntil(view), isUntold(view) ? youngUntil(view) : 0);
  return until > now ? until : undefined;
}

/**
 * Until when a VM may turn up that the previous leader asked for and did not record, whatever this process has asked for, or heard, since
 * (hack/decisions/0051 L104).
 */
function inheritedUntil(view: MachineView): number {
  const { machine, inheritedAt, limits } = view;
  if (inheritedAt === undefined) return 0;
  const isItsOwn = machine.spec?.providerID !== undefined && (confirmedAt(machine) ?? 0) < inheritedAt;
  return isItsOwn || youngUntil(view) === 0 ? 0 : inheritedAt + limits.vmYouth;
}

/** The VM was made and is young, and neither its Node nor the driver, asked by this process, has shown it, or its deletion found none. */
function isUntold(view: MachineView): boolean {
  const { machine, calls } = view;
  const isMade = machine.spec?.providerID !== undefined || calls.known === true;
  return isMade && youngUntil(view) > view.now && (!calls.shown || calls.deletion?.denied === true);
}
