import { PRE_DRAIN_HOOK, PRE_TERMINATE_HOOK } from '../../../schemas/keys.ts';
import { type Step, wait } from '../../flow/flow.ts';
import { deletionBegun } from './drain.ts';
import { hookOf } from './predicates.ts';
import type { Reason } from './reasons.ts';
import type { MachineAction, MachineView } from './view.ts';

type MachineStep = Step<MachineView, MachineAction, Reason>;

/**
 * What comes before a Node is drained waits for those who hold the Machine, whatever there is to drain: also when the Node has gone, is
 * not ours to touch, or is to stay. As in Cluster API, a Machine that never had a Node is not held.
 */
export const afterPreDrainHook =
  (step: MachineStep): MachineStep =>
  (view) => {
    // Who serves the class waits for hooks as well.
    const isHeld = view.class.at !== 'foreign' && hadNode(view);
    return (isHeld ? held(view, PRE_DRAIN_HOOK, 'PreDrainHook') : undefined) ?? step(view);
  };

/** The VM is neither deleted nor left behind before those who hold the Machine let it go. */
export const afterPreTerminateHook =
  (step: MachineStep): MachineStep =>
  (view) =>
    held(view, PRE_TERMINATE_HOOK, 'PreTerminateHook') ?? step(view);

/** Once the VM is being deleted there is nothing left to hold. */
function held(view: MachineView, prefix: string, reason: Reason): ReturnType<MachineStep> | undefined {
  const hook = deletionBegun(view) ? undefined : hookOf(view.machine, prefix);
  return hook ? wait(reason, Infinity, `the annotation ${hook} holds it`) : undefined;
}

/** A Node is there, or was seen: by us, or by MCM, which copied its conditions. */
const hadNode = ({ node, machine: { status } }: MachineView): boolean =>
  node.at === 'present' ||
  status?.nodeRef !== undefined ||
  (status?.conditions ?? []).some(({ type }) => type === 'Ready');
