import type { Machine } from '../../../schemas/machine.ts';
import type { Gate } from '../../safety/outage/gate.ts';
import type { Gates } from '../../safety/outage/gates.ts';
import { isForced } from './predicates.ts';

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
