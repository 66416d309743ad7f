import { ANNOTATION_MAX } from '../../schemas/keys.ts';
import type { Machine } from '../../schemas/machine.ts';
import type { MachineSet } from '../../schemas/machineset.ts';
import { oldestFirst } from '../../schemas/revisions.ts';
import { mayHoldVm, replicasOf, takenBy } from '../model/machine.ts';

/** A set of a deployment, with the machines that name it as their controller. */
export interface SetFact {
  set: MachineSet;
  machines: readonly Machine[];
  /** Those that it asked for and that are not among them yet (births.ts). */
  births?: number;
}

/**
 * How much of the deployment's replicas + maxSurge is taken by other sets. All sets share it, and each is reconciled by itself, some at the
 * same time. So a set counts what older sets have yet to create as taken, while older sets count only the machines that this one has: two
 * sets neither create the same machine, nor wait for each other. A set without that number in its annotations shares nothing.
 */
export function takenBySiblings(set: MachineSet, siblings: readonly SetFact[]): number {
  if (!sharesLimit(set)) return 0;
  const taken = siblings.map(({ set: sibling, machines, births = 0 }) =>
    mayGrow(sibling) && oldestFirst(sibling, set) < 0
      ? takenBy(replicasOf(sibling), machines, births)
      : machines.filter(mayHoldVm).length + births,
  );
  return taken.reduce((total, one) => total + one, 0);
}

/** It was told how many machines all sets of its deployment may have. */
export const sharesLimit = ({ metadata }: MachineSet): boolean => metadata.annotations?.[ANNOTATION_MAX] !== undefined;

/** One that is deleted makes no machines. */
const mayGrow = ({ metadata }: MachineSet): boolean => !metadata.deletionTimestamp;
