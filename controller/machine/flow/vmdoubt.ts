import { failureOf } from './drivercall.ts';
import { isForced, isNodeReady, VANISHED_MS, youngUntil } from './predicates.ts';
import type { DeletionFact, MachineView } from './view.ts';

/** How soon a VM that is there, or may be, is asked about again, at the least and at the most, milliseconds. */
export const AGAIN = { least: 5_000, most: 60_000 };

/** A VM that seems to live and is denied is deleted once more after this time, milliseconds: two looks at Leases and a renewal. */
export const DOUBT_MS = 60_000;

/** When the driver began to deny the VM, if it did so already when it was to delete it. */
export const deniedSince = ({ vm }: Pick<MachineView, 'vm'>, { at, denied }: DeletionFact): number | undefined =>
  denied && (vm.at === 'absent' ? vm.since : at);

/**
 * When the driver began to deny a VM whose Node may speak against that: one that it denied when it was to delete it, or that ran on
 * after its deletion was answered, as the Lease of a Ready Node tells.
 */
export function outweighedSince(view: MachineView, deletion: DeletionFact): number | undefined {
  const { node, vm } = view;
  const ranOn = isNodeReady(node) && node.at === 'present' && !node.silent && (node.heard?.livedAt ?? 0) > deletion.at;
  return deniedSince(view, deletion) ?? (ranOn && vm.at === 'absent' ? vm.since : undefined);
}

/**
 * Until when the answer that there is no VM is not enough, after which the driver is asked for the deletion once more: a VM that it never
 * showed may turn up, or the VM lives, as far as is known, and the driver did not find it.
 */
export function doubtedUntil(view: MachineView, deletion: DeletionFact): number {
  if (isForced(view.machine)) return 0;
  const until = comesUntil(view);
  const since = deniedSince(view, deletion);
  if (since === undefined) return until;
  return Math.max(until, mayLive(view) ? since + DOUBT_MS : 0);
}

/** Until when the VM of a create call without an answer may turn up. */
export const comesUntil = ({ machine, calls: { lostAt = -Infinity }, limits }: MachineView): number =>
  machine.spec?.providerID ? 0 : Math.max(0, lostAt + limits.vmYouth);

/**
 * Its Node is healthy and has a Lease, or the driver has shown it to this process and no Node contradicts that. A Node that is gone may
 * have been deleted already, as the last part of a VM that is gone.
 */
function mayLive({ node, calls }: MachineView): boolean {
  if (node.at === 'absent') return false;
  if (node.at !== 'present') return calls.known === true;
  return isNodeReady(node) && !node.silent && (node.heard !== undefined || calls.known === true);
}

/** The Lease of its Node was renewed after the driver began to deny the VM: as long as that goes on, no denial is believed. */
export function isHeard({ node, machine }: MachineView, since: number | undefined): boolean {
  if (node.at !== 'present' || node.silent || isForced(machine)) return false;
  return (node.heard?.livedAt ?? 0) > (since ?? Infinity);
}

/**
 * From when on the driver is believed that a VM is gone whose deletion was not asked for: it must have said so again some time later, and
 * signs that the VM lives, or has yet to appear, outweigh that. By force one answer is enough.
 */
export function goneFrom(view: MachineView, since: number): number {
  if (isForced(view.machine)) return since;
  if (isHeard(view, since)) return Infinity;
  return Math.max(since + (mayLive(view) ? DOUBT_MS : VANISHED_MS), youngUntil(view));
}

/** The driver denies a VM whose deletion was not asked for, and is not believed yet. */
export const isDoubted = (view: MachineView): boolean =>
  view.vm.at === 'absent' && (view.calls.askedAt ?? view.vm.since) < goneFrom(view, view.vm.since);

/** Milliseconds until a driver that denies such a VM is asked again; 0 where it denies none. */
export const doubtLeft = (view: MachineView): number =>
  view.vm.at === 'absent'
    ? askedNext(view, { since: view.vm.since, from: goneFrom(view, view.vm.since) }) - view.now
    : 0;

/**
 * When a driver that denies a VM is asked again: at `from`, when its answer begins to be believed, if that is near; else the less often the
 * longer it has denied the VM, which is since `since`.
 */
export function askedNext({ now, calls }: MachineView, { since, from }: { since: number; from: number }): number {
  const asked = Math.max(calls.askedAt ?? 0, since);
  const next = asked + Math.min(Math.max(asked - since, AGAIN.least), AGAIN.most);
  return from - now <= VANISHED_MS ? from : Math.min(from, next);
}

/** The driver has several VMs of its name. */
export const hasSeveralVms = ({ calls }: MachineView): boolean =>
  failureOf(calls, ['getMachineStatus'])?.code === 'OutOfRange';

/** Of several VMs of its name the driver cannot say which is its: that goes by its token, and the others are orphans. */
export const hasNamesakes = (view: MachineView): boolean => !view.machine.spec?.providerID && hasSeveralVms(view);
