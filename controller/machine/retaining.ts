import type { Machine } from '../../schemas/machine.ts';
import { act, pass, type Step } from '../flow.ts';
import { type Answer, call } from './calling.ts';
import { served } from './classified.ts';
import type { Reason } from './reasons.ts';
import type { MachineAction, MachineView } from './view.ts';

/** The VM is to stay when its Machine goes. A VM that is not on record served nobody yet: it goes all the same. */
export const isRetained = ({ spec }: Machine): boolean => spec?.deletionPolicy === 'Retain' && Boolean(spec.providerID);

/** The VM stays with its Node, as they are: nothing is drained. What is left of a VM that is gone by itself is not kept. */
export const staysBehind = ({ machine, vm, calls }: MachineView): boolean =>
  isRetained(machine) && (calls.retained || vm.at !== 'absent');

/**
 * The driver marks the VM before the finalizer goes, so that no sweep takes it for an orphan (decisions 7). The VM of a
 * driver that cannot mark is neither left nor deleted until somebody decides.
 */
export function vmRetained(view: MachineView): Answer {
  const { machine, calls, vm } = view;
  if (!isRetained(machine) || calls.retained || vm.at === 'absent') return pass;
  const { flying } = calls;
  if (flying && flying.method !== 'retainMachine' && !flying.cancelled) return act('CancelCall', { do: 'cancelCall' });
  const blocked = served(view);
  return blocked.kind === 'pass' ? call(view, 'RetainVm', 'retainMachine') : blocked;
}

/** A step that takes something from a VM that is to stay, or from its disks, has nothing to do. */
export const unlessRetained =
  (step: Step<MachineView, MachineAction, Reason>): Step<MachineView, MachineAction, Reason> =>
  (view) =>
    isRetained(view.machine) ? pass : step(view);
