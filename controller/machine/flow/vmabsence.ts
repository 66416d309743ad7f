import { pass, wait } from '../../flow/flow.ts';
import { isInline } from '../../model/class.ts';
import { confirmedAt } from '../../model/machine.ts';
import { isInVain } from './claim.ts';
import { neverBegun, served } from './classresolution.ts';
import { type Answer, call } from './drivercall.ts';
import { isForced, VANISHED_MS, youngUntil } from './predicates.ts';
import { staysBehind } from './retention.ts';
import type { DeletionFact, MachineView } from './view.ts';
import { askedNext, comesUntil, doubtedUntil, hasNamesakes, isHeard, outweighedSince } from './vmdoubt.ts';

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

/** The VM is there, or may be, and the deletion that was answered has not done it. */
function isDue(view: MachineView, deletion: DeletionFact): boolean {
  const { vm, now } = view;
  const isLate = now - deletion.at >= REPEAT_MS;
  if (vm.at === 'present') return deletion.denied === true || isLate;
  const until = doubtedUntil(view, deletion);
  return (deletion.at < until && now >= until) || (isLate && isHeard(view, outweighedSince(view, deletion)));
}

/** The driver has said so late enough, or cannot say it: then its answer to the deletion is all that there is. */
function isGone(view: MachineView, deletion: DeletionFact): boolean {
  const { vm, calls } = view;
  if (vm.at === 'present') return vm.assumed === true;
  if (hasNamesakes(view)) return deletion.at >= doubtedUntil(view, deletion);
  if (vm.at === 'unknown' || !deletion.heard) return false;
  return (calls.askedAt ?? 0) >= believedFrom(view, deletion);
}

/**
 * From when on a no of the driver is believed. One that denied the VM before it was to delete it, or one that ran on after that, must say
 * so again a while later; and of a young VM that has not joined it may not be told yet, neither when it was to be deleted nor now. What tells of a VM that
 * lives outweighs it (vmdoubt.ts).
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

/** When the driver is asked next: the longer it takes, the more seldom; at once when its no is believed soon. */
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
 * Until when there may come a VM of a Machine that goes, milliseconds since the epoch: of a creation that ended without an answer, or one so young that the
 * cloud has told nobody of it. Undefined where none comes. An inline class has nobody who lists its VMs (hack/decisions/0022).
 */
export function vmComesUntil(view: MachineView): number | undefined {
  const { machine, now } = view;
  if (isInline(machine) || staysBehind(view) || neverBegun(view)) return undefined;
  const until = Math.max(comesUntil(view), inheritedUntil(view), isUntold(view) ? youngUntil(view) : 0);
  return until > now ? until : undefined;
}

/**
 * Until when there may come a VM that another process asked for until this one led, and of which it wrote nothing down: whatever this one asked for
 * since, or was told (hack/decisions/0051 L104).
 */
function inheritedUntil(view: MachineView): number {
  const { machine, inheritedAt, limits } = view;
  if (inheritedAt === undefined) return 0;
  const isItsOwn = machine.spec?.providerID !== undefined && (confirmedAt(machine) ?? 0) < inheritedAt;
  return isItsOwn || youngUntil(view) === 0 ? 0 : inheritedAt + limits.vmYouth;
}

/** Neither its Node nor the cloud, asked by this process, has told of the VM, or who was to delete it found none. */
function isUntold(view: MachineView): boolean {
  const { machine, calls } = view;
  const isMade = machine.spec?.providerID !== undefined || calls.known === true;
  return isMade && youngUntil(view) > view.now && (!calls.shown || calls.deletion?.denied === true);
}
