import { machineSpecFault } from '../../../schemas/rules/machinespec.ts';
import { fail, pass, type StepState } from '../../flow/flow.ts';
import type { Answer } from './drivercall.ts';
import type { MachineView } from './view.ts';

/** What the webhook refuses is judged again: nothing is made of a spec that cannot come true. A VM that is there stays. */
export function specValid(view: MachineView): Answer {
  if (mayHaveVm(view)) return pass;
  const fault = faultOf(view);
  return fault === undefined ? pass : fail('SpecInvalid', fault);
}

/** What is wrong with the spec of a Machine that goes on all the same; undefined when nothing is. */
export function specState(view: MachineView): StepState | undefined {
  const message = faultOf(view);
  return message === undefined ? undefined : { type: 'SpecValid', status: 'False', reason: 'SpecInvalid', message };
}

const faultOf = ({ machine, class: fact }: MachineView): string | undefined =>
  fact.at === 'foreign' ? undefined : machineSpecFault(machine.spec, 'spec');

/** There is a VM, or the driver has yet to say that there is none. */
const mayHaveVm = ({ machine, vm, class: fact }: MachineView): boolean =>
  Boolean(machine.spec?.providerID) || vm.at === 'present' || (vm.at === 'unknown' && fact.at === 'ours');
