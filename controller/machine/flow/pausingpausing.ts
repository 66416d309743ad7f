import { LABEL_PAUSED } from '../../../schemas/keys.ts';
import { act } from '../../flow/flow.ts';
import { pauserOf } from '../../model/pausing.ts';
import { unpausedIn } from '../../model/readiness.ts';
import type { Answer } from './drivercall.ts';
import type { MachineView } from './view.ts';

/** The Machine and its Cluster are not paused. The label of the Machine names who paused it, and is removed otherwise (VMOP 2.8). */
export function unpausedMachine({ machine, cluster, class: fact, refused }: MachineView): Answer {
  const by = pauserOf(machine, cluster.paused);
  const told = machine.metadata.labels?.[LABEL_PAUSED];
  // A Machine of another controller's is left alone, and a label that may not be written holds up nothing.
  const mayTell = fact.at !== 'foreign' && !refused.has('Unpaused');
  if (told !== by && mayTell) return act('TellPause', { do: 'annotate', labels: { [LABEL_PAUSED]: by ?? null } });
  return unpausedIn(machine, cluster);
}
