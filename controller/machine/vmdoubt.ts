import { failureOf } from './calling.ts';
import { isForced } from './hooks.ts';
import { isReady } from './vanished.ts';
import type { DeletionFact, MachineView } from './view.ts';

/** A VM that seems to live and is denied is deleted once more after this time, milliseconds: two looks at Leases and a renewal. */
export const DOUBT_MS = 60_000;

/** When the driver began to deny the VM, if it did so already when it was to delete it. */
export const deniedSince = ({ vm }: Pick<MachineView, 'vm'>, { at, denied }: DeletionFact): number | undefined =>
  denied && (vm.at === 'absent' ? vm.since : at);

/**
 * Until when no denial is enough, and the driver is then asked for the deletion once more: a VM that it never told of may
 * come, for so long after a creation without an answer, or it lives, as far as is known, and the driver looked in vain.
 */
export function doubtedUntil(view: MachineView, deletion: DeletionFact): number {
  if (isForced(view.machine)) return 0;
  const { machine, calls, limits } = view;
  const { lostAt } = calls;
  const isAwaited = lostAt !== undefined && !machine.spec?.providerID;
  const since = deniedSince(view, deletion);
  return Math.max(isAwaited ? lostAt + limits.vmYouth : 0, since !== undefined && mayLive(view) ? since + DOUBT_MS : 0);
}

/**
 * Its Node is well and has a Lease, or the driver has told this process of it and no Node speaks against it. One that is not there may be
 * deleted already, as the last thing of a VM that went.
 */
function mayLive({ node, calls }: MachineView): boolean {
  if (node.at === 'absent') return false;
  if (node.at !== 'present') return calls.known === true;
  return isReady(node) && !node.silent && (node.heard !== undefined || calls.known === true);
}

/** The Lease of its Node was renewed after the driver began to deny the VM: until that ends, no denial is believed. */
export function isHeard(view: MachineView, deletion: DeletionFact): boolean {
  const { node, machine } = view;
  if (node.at !== 'present' || node.silent || isForced(machine)) return false;
  return (node.heard?.livedAt ?? 0) > (deniedSince(view, deletion) ?? Infinity);
}

/** Of several VMs of its name the driver cannot say which is its: that goes by its token, and the others are orphans. */
export const hasNamesakes = ({ calls, machine }: MachineView): boolean =>
  !machine.spec?.providerID && failureOf(calls, ['getMachineStatus'])?.code === 'OutOfRange';
