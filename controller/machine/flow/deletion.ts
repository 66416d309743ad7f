import { LABEL_NODE } from '../../../schemas/keys.ts';
import { act, pass } from '../../flow/flow.ts';
import { recordingOf } from './claim.ts';
import { served } from './classresolution.ts';
import { deletionBegun } from './drain.ts';
import { type Answer, call } from './drivercall.ts';
import type { MachineView } from './view.ts';
import { hasSeveralVms } from './vmdoubt.ts';

/**
 * Before a Machine leaves it is known which VM and Node are its own: who crashed before that was written down, or was
 * told to give up a creation, may have left both.
 */
export function located(view: MachineView): Answer {
  const { machine, node, vm, calls, refused } = view;
  const isKnown =
    node.at === 'none' || node.at === 'unknown' ? machine.spec?.providerID : machine.metadata.labels?.[LABEL_NODE];
  const isBegun = deletionBegun(view) && !isUnknownHeirloom(view);
  if (isKnown || isBegun || vm.at === 'absent' || served(view).kind !== 'pass') return pass;
  // Nothing says which of them it recorded: its own goes by its token, the others are orphans.
  if (hasSeveralVms(view) || (isNotIts(view) && machine.spec?.providerID)) return pass;
  if (vm.at === 'present' && refused.has('Located')) return pass;
  if (vm.at === 'present') return act('RecordVm', recordingOf(view, vm));
  const isOther = calls.flying && calls.flying.method !== 'getMachineStatus';
  return isOther || calls.flying?.cancelled ? pass : call(view, 'AskVm', 'getMachineStatus');
}

/** What came to light under its name, of this Machine before a restore: without the id on record no driver can claim it. */
const isUnknownHeirloom = ({ claim, machine }: MachineView): boolean =>
  claim.at === 'heir' && !machine.spec?.providerID;

/** Its providerID is another's, or no id that its driver has. */
const isNotIts = ({ claim }: MachineView): boolean => claim.at === 'others' || claim.at === 'foreign';
