import { NAME_ROOM } from '../../schemas/rules/names.ts';
import { fnv32a, safeName } from '../hash.ts';
import type { MachineSetView } from './view.ts';

const SUFFIX = 5;

/**
 * Names of `count` machines to make. They follow from the set and the machines that it was seen to have: who sees the
 * same and creates again (a second leader, a lost answer) meets AlreadyExists instead of making a machine too many. After
 * a machine that failed before it ran they are others: what it left behind, such as a Node, may be why.
 */
export function machineNames({ set, machines, strays, salt }: MachineSetView, count: number): string[] {
  const seen = [...machines, ...strays].map(({ metadata }) => metadata.uid ?? '').sort();
  const failures = set.status?.creationBackOff?.failures ?? 0;
  const sight = fnv32a([set.metadata.uid, ...seen, salt, failures].join(' '));
  const prefix = set.metadata.name.slice(0, NAME_ROOM.MachineSet);
  return Array.from({ length: count }, (_, index) => `${prefix}-${safeName(fnv32a(` ${index}`, sight), SUFFIX)}`);
}
