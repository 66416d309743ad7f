import { fail, type Step } from '../../flow/flow.ts';
import { type Answer, creationLeft, seconds } from './drivercall.ts';
import { FATAL } from './fatal.ts';
import { hasJoined } from './joining.ts';
import type { Reason } from './reasons.ts';
import { isReady } from './vanished.ts';
import type { MachineAction, MachineView } from './view.ts';

/**
 * The Machine ran, or its Node is as well as that of one that runs: what is wrong with the VM must not hide that (MCM 6.2,
 * health before creation).
 */
export const isUp = (view: MachineView): boolean =>
  hasJoined(view) || (isReady(view.node) && view.node.at === 'present' && !view.node.critical);

/** The time of the creation is over, with nothing to show for it; a Node that cannot be read may be well. */
const isOverdue = (view: MachineView): boolean =>
  creationLeft(view) <= 0 && !isUp(view) && view.node.at !== 'unknown' && view.class.at !== 'foreign';

/** The end of a Machine whose VM was not made, or not finished, in time (MCM 6.4b); undefined while there is some left. */
export function overdue(view: MachineView, why?: string): Answer | undefined {
  if (!isOverdue(view)) return undefined;
  const { spec } = view.machine;
  const what = `${spec?.providerID ? 'the VM is not initialized' : 'no VM'} within ${seconds(view.limits.creation)}`;
  return fail('CreationTimedOut', why ? `${what}: ${why}` : what);
}

/** Whatever a step on the way to a VM waits for, it does so no longer than a creation may take (decisions 6). */
export const inTime =
  (step: Step<MachineView, MachineAction, Reason>): Step<MachineView, MachineAction, Reason> =>
  (view) => {
    const answer = step(view);
    const waits = answer.kind === 'wait' || (answer.kind === 'fail' && !FATAL.has(answer.reason));
    return (waits && overdue(view, answer.message ?? answer.reason)) || answer;
  };
