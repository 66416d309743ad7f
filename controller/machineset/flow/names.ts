import type { MachineSet } from '../../../schemas/machineset.ts';
import { NAME_ROOM } from '../../../schemas/rules/names.ts';
import { fnv32a, safeName } from '../../model/hash.ts';
import type { MachineSetView } from './view.ts';

const SUFFIX = 5;

/** Which machines the set has now, and how often they have become others since it was made, as its status should tell. */
export function membershipOf({
  set,
  machines,
  strays,
}: Pick<MachineSetView, 'set' | 'machines' | 'strays'>): Membership {
  const uids = [...machines, ...strays].map(({ metadata }) => metadata.uid ?? '').sort();
  const hash = String(fnv32a(uids.join(' ')));
  const before = set.status?.membership;
  if (before?.hash === hash) return before;
  return { hash, changes: (before?.changes ?? 0) + 1 };
}

type Membership = NonNullable<NonNullable<MachineSet['status']>['membership']>;

/**
 * Names of `count` machines to make. They follow from the set, from the machines that it was seen to have, and from how often
 * these have become others: who sees the same and creates again (a second leader, a lost answer) meets AlreadyExists instead
 * of making a machine too many. A set that has no machines once more, or one that failed before it ran, gives no name again: a
 * VM that is retained, an orphan or a Node may still have it.
 */
export function machineNames(view: MachineSetView, count: number): string[] {
  const { set, salt } = view;
  const { hash, changes } = membershipOf(view);
  const failures = set.status?.creationBackOff?.failures ?? 0;
  const sight = fnv32a([set.metadata.uid, hash, changes, salt, failures].join(' '));
  const prefix = set.metadata.name.slice(0, NAME_ROOM.MachineSet);
  return Array.from({ length: count }, (_, index) => `${prefix}-${safeName(fnv32a(` ${index}`, sight), SUFFIX)}`);
}
