import type { Decision } from '../flow/flow.ts';
import { keyOf } from '../runtime/k8s/object.ts';
import type { Calls } from './calls/inflight.ts';
import { slotKeyOf } from './calls/key.ts';
import type { Updates } from './calls/updates.ts';
import { methodAwaited } from './flow/flow.ts';
import { awaitsUpdateSlot } from './flow/hotupdate.ts';
import type { MachineAction, MachineView } from './flow/view.ts';

/** Where slots for driver calls are waited for. */
export interface Lines {
  calls: Pick<Calls, 'awaitSlot' | 'leaveSlot'>;
  updates: Pick<Updates, 'awaitSlot' | 'leaveSlot'>;
}

/**
 * Has the Machine wait for the slots that it lacks, and for no other; answers whether it lacks one for its next call. While the driver is
 * asked about the VM it is not known what comes next: then what is kept for it stays.
 */
export function lineUp({ calls, updates }: Lines, view: MachineView, decision: Decision<MachineAction>): boolean {
  const { machine, class: fact } = view;
  const about = { key: keyOf(machine), classKey: slotKeyOf(machine, fact) };
  const method = methodAwaited(view, decision);
  if (method) calls.awaitSlot({ ...about, method });
  else if (view.calls.flying?.method !== 'getMachineStatus') calls.leaveSlot(about.key);
  if (awaitsUpdateSlot(view)) updates.awaitSlot(about);
  else updates.leaveSlot(about.key);
  return method !== undefined;
}
