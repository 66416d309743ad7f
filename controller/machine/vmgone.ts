import { pass, wait } from '../flow.ts';
import { type Answer, call } from './calling.ts';
import { isInVain } from './claiming.ts';
import { neverBegun, served } from './classified.ts';
import { isForced } from './hooks.ts';
import { VANISHED_MS, youthLeft } from './vanished.ts';
import type { DeletionFact, MachineView } from './view.ts';

/** How soon a VM that is still there is asked about again, at the least and at the most, milliseconds. */
const AGAIN = { least: 5_000, most: 60_000 };

/** A VM that is there for so long after its deletion was answered is deleted once more, milliseconds. */
export const REPEAT_MS = 600_000;

/**
 * A deletion that was answered is over when the driver no longer knows the VM: many clouds answer it as soon as they have
 * begun. Undefined when the driver is to be asked for the deletion once more (hack/decisions/0055).
 */
export function vmGone(view: MachineView, deletion: DeletionFact): Answer | undefined {
  const { vm, calls, now } = view;
  if (isGone(view, deletion) || isInVain(view)) return pass;
  const isDue = deletion.denied || now - deletion.at >= REPEAT_MS;
  if ((vm.at === 'present' && isDue) || calls.flying?.method === 'deleteMachine') return undefined;
  const left = askAt(view, deletion) - now;
  if (left > 0 || (calls.flying && !calls.flying.cancelled))
    return wait('VMTerminating', left > 0 ? left : Infinity, says(view));
  const blocked = served(view);
  return blocked.kind === 'pass' ? call(view, 'AskVm', 'getMachineStatus') : blocked;
}

/** The driver has said so late enough, or cannot say it: then its answer to the deletion is all that there is. */
function isGone(view: MachineView, deletion: DeletionFact): boolean {
  const { vm, calls } = view;
  if (vm.at === 'present') return vm.assumed === true;
  if (vm.at === 'unknown' || !deletion.heard) return false;
  return (calls.askedAt ?? 0) >= believedFrom(view, deletion);
}

/**
 * From when on a no of the driver is believed. One that denied the VM before it was to delete it must say so again a while later;
 * and of a young VM that has not joined it may not be told yet, neither when it was to be deleted nor now.
 */
function believedFrom(view: MachineView, { at, denied }: DeletionFact): number {
  if (isForced(view.machine)) return at;
  if (denied) return (view.vm.at === 'absent' ? view.vm.since : at) + VANISHED_MS;
  const isKnown = view.machine.status?.nodeRef !== undefined || youthLeft(view) <= 0 || neverBegun(view);
  return isKnown ? at : at + VANISHED_MS;
}

/** When the driver is asked next: the longer it takes, the more seldom. */
function askAt(view: MachineView, deletion: DeletionFact): number {
  const { askedAt = 0 } = view.calls;
  const from = believedFrom(view, deletion);
  if (!deletion.heard || askedAt < from) return from;
  return askedAt + Math.min(Math.max(askedAt - deletion.at, AGAIN.least), AGAIN.most);
}

function says({ vm, machine }: MachineView): string {
  const which = `VM ${machine.spec?.providerID ?? ''}`.trim();
  if (vm.at === 'present') return `the deletion of ${which} was accepted, and the driver says that it is still there`;
  return `the deletion of ${which} was accepted: the driver is asked whether it is gone`;
}
