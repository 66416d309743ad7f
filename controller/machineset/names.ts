import { NAME_ROOM } from '../../schemas/rules/names.ts';
import { fnv32a, safeName } from '../hash.ts';
import type { MachineSetView } from './view.ts';

const SUFFIX = 5;

/**
 * Names of `count` machines to make. They follow from the set and the machines that it was seen to have: who sees the
 * same and creates again (a second leader, a lost answer) meets AlreadyExists instead of making a machine too many.
 */
export function machineNames({ set, machines, strays, salt }: MachineSetView, count: number): string[] {
  const seen = [...machines, ...strays].map(({ metadata }) => metadata.uid ?? '').sort();
  const sight = fnv32a([set.metadata.uid, ...seen, salt].join(' '));
  const prefix = set.metadata.name.slice(0, NAME_ROOM.MachineSet);
  return Array.from({ length: count }, (_, index) => `${prefix}-${safeName(fnv32a(` ${index}`, sight), SUFFIX)}`);
}
