import type { Machine } from '../../../schemas/machine.ts';
import { pass, type Step, wait } from '../../flow/flow.ts';
import { served } from './classresolution.ts';
import { type Answer, call, endCall } from './drivercall.ts';
import { isNodeReady, lossOf } from './predicates.ts';
import type { Reason } from './reasons.ts';
import type { MachineAction, MachineView, NodeFact } from './view.ts';
import { doubtLeft, isDoubted } from './vmdoubt.ts';

/** The VM is to stay when its Machine is deleted. A VM that is not on record has served nothing yet: it is deleted all the same. */
export const isRetained = ({ spec }: Machine): boolean => spec?.deletionPolicy === 'Retain' && Boolean(spec.providerID);

/**
 * The VM stays with its Node, as they are: nothing is drained. What is left of a VM that is gone by itself is not kept, but a Node that is
 * well: it may be the driver that is wrong.
 */
export const staysBehind = ({ machine, vm, calls, node }: MachineView): boolean =>
  isRetained(machine) && (calls.retained || vm.at !== 'absent' || isWell(node));

/** The Node is Ready, and nothing speaks against that. */
const isWell = (node: NodeFact): boolean => isNodeReady(node) && node.at === 'present' && !node.silent;

/**
 * The driver marks the VM before the finalizer goes, so that no sweep takes it for an orphan (hack/decisions/0000 7). The VM of a
 * driver that cannot mark is neither left nor deleted until somebody decides. One that denies the VM is asked again until that is
 * believed: a VM without its mark is deleted by the next sweep that does not remember it.
 */
export function vmRetained(view: MachineView): Answer {
  const { machine, calls, vm } = view;
  const isGone = vm.at === 'absent' && !isDoubted(view);
  if (!isRetained(machine) || calls.retained || isGone) return pass;
  const { inFlight } = calls;
  if (inFlight && inFlight.method !== 'retainMachine' && !inFlight.cancelled) return endCall(view, inFlight);
  const left = inFlight ? 0 : doubtLeft(view);
  if (left > 0) return wait('NotFound', left, `${lossOf(view)}, which is to stay: it is asked again`);
  const blocked = served(view);
  return blocked.kind === 'pass' ? call(view, 'RetainVM', 'retainMachine') : blocked;
}

/** A step that takes something from a VM that is to stay, or from its disks, has nothing to do. */
export const unlessRetained =
  (step: Step<MachineView, MachineAction, Reason>): Step<MachineView, MachineAction, Reason> =>
  (view) =>
    isRetained(view.machine) ? pass : step(view);
