import { LABEL_PAUSED } from '../../../schemas/keys.ts';
import type { Machine } from '../../../schemas/machine.ts';
import { act } from '../../flow/flow.ts';
import { pauserOf, unpausedIn } from '../../model/readiness.ts';
import type { Gate, Gates } from '../../safety/outage/gate.ts';
import type { Answer } from './drivercall.ts';
import { isForced } from './predicates.ts';
import type { MachineView } from './view.ts';

/**
 * A Machine that is deleted by force does without a target cluster that is away: somebody says that it will not come back.
 * Its Node is left to the sweep of Nodes.
 */
export function gateOfMachine(gates: Gates, machine: Machine): Gate & { abandoned?: true } {
  const gate = gates.of(machine);
  const leaves = machine.metadata.deletionTimestamp !== undefined && isForced(machine);
  if (gate.shut?.away !== 'target' || !leaves) return gate;
  const { shut: _, ...rest } = gate;
  return { ...rest, abandoned: true };
}

/** The Machine and its Cluster are not paused. The label of the Machine names who paused it, and is removed otherwise (VMOP 2.8). */
export function unpausedMachine({ machine, cluster, class: fact, refused }: MachineView): Answer {
  const by = pauserOf(machine, cluster.paused);
  const told = machine.metadata.labels?.[LABEL_PAUSED];
  // A Machine of another controller's is left alone, and a label that may not be written holds up nothing.
  const mayTell = fact.at !== 'foreign' && !refused.has('Unpaused');
  if (told !== by && mayTell) return act('TellPause', { do: 'annotate', labels: { [LABEL_PAUSED]: by ?? null } });
  return unpausedIn(machine, cluster);
}
