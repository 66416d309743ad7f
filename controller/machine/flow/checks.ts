import { DELETE_CHECKS } from '../../../schemas/keys.ts';
import { pass, wait } from '../../flow/flow.ts';
import type { Answer } from './drivercall.ts';
import type { MachineView } from './view.ts';

/** How many checks a condition names; whoever takes these off sees the next. */
const NAMED = 5;

/**
 * No check holds the deletion (VMOP 2.3). Checks are for those who run Drover, so unlike a hook they hold what is deleted by
 * force, and what is already half gone (hack/decisions/0042).
 */
export function deletionAllowed({ machine }: MachineView): Answer {
  const keys = Object.keys(machine.metadata.annotations ?? {})
    .filter((key) => DELETE_CHECKS.some((prefix) => key.startsWith(prefix)))
    .toSorted();
  if (keys.length === 0) return pass;
  const more = keys.length > NAMED ? ` and ${keys.length - NAMED} more` : '';
  const held = keys.length === 1 ? 'the annotation' : 'the annotations';
  return wait('DeleteCheck', Infinity, `held by ${held} ${keys.slice(0, NAMED).join(', ')}${more}`);
}
