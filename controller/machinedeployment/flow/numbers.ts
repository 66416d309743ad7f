import { ANNOTATION_DESIRED, ANNOTATION_MAX } from '../../../schemas/keys.ts';
import type { MachineDeployment } from '../../../schemas/machinedeployment.ts';
import { replicasOf } from '../../model/holding.ts';
import { availableIn } from '../../model/machine.ts';
import { isPreservedFailed } from '../../model/preserve.ts';
import type { SetFact } from './view.ts';

/** How many machines a deployment wants, and how far a rollout may stray from that (MCM 4.5). */
export interface Numbers {
  replicas: number;
  /** Machines above `replicas`. */
  surge: number;
  /** Machines that may be missing from `replicas`. */
  unavailable: number;
}

type CountOrPercent = number | string | undefined;

/**
 * Resolves the deployment's strategy against its replicas: surge rounded up, unavailable down, never both 0. An update in
 * place by hand makes no machines above (MCM 4.5).
 */
export function numbersOf({ spec }: MachineDeployment): Numbers {
  const replicas = spec.replicas ?? 0;
  const { type = 'RollingUpdate', rollingUpdate, inPlaceUpdate } = spec.strategy ?? {};
  const block = type === 'InPlaceUpdate' ? inPlaceUpdate : rollingUpdate;
  if (type === 'Recreate') return { replicas, surge: 0, unavailable: 0 };
  const manual = type === 'InPlaceUpdate' && inPlaceUpdate?.orchestrationType === 'Manual';
  return { replicas, ...resolve(replicas, manual ? 0 : (block?.maxSurge ?? 1), block?.maxUnavailable ?? 0) };
}

/** Surge and unavailable in machines (MCM Annex B, fenceposts). */
export function resolve(
  replicas: number,
  maxSurge: CountOrPercent,
  maxUnavailable: CountOrPercent,
): Omit<Numbers, 'replicas'> {
  const surge = share(maxSurge, replicas, Math.ceil);
  const unavailable = share(maxUnavailable, replicas, Math.floor);
  const stuck = surge === 0 && unavailable === 0;
  return { surge, unavailable: Math.min(replicas, stuck ? 1 : unavailable) };
}

function share(value: CountOrPercent, replicas: number, round: (value: number) => number): number {
  if (typeof value === 'number') return value;
  const percent = Number.parseInt(value ?? '0', 10) || 0;
  return round((percent * replicas) / 100);
}

/** How many machines a set wants. */
export const specReplicas = ({ set }: SetFact): number => replicasOf(set);

/** How many of a set's machines are available. */
export const availableOf = ({ set, machines }: SetFact, now: number): number =>
  machines.filter((machine) => availableIn(set, machine, now) === 0).length;

/** How many of a set's machines Failed and are kept: they count as replicas, and are not available (MCM 6.12). */
export const preservedOf = ({ machines }: SetFact, now: number): number =>
  machines.filter((machine) => isPreservedFailed(machine, now)).length;

/** How many machines of these sets have to be available at least; those that are kept for inspection are not asked for. */
export const leastAvailable = ({ replicas, unavailable }: Numbers, sets: readonly SetFact[], now: number): number =>
  Math.max(0, replicas - unavailable - sum(sets, (fact) => preservedOf(fact, now)));

/** Adds up a number of each item. */
export const sum = <T>(items: readonly T[], number: (item: T) => number): number =>
  items.reduce((total, item) => total + number(item), 0);

/** The annotations that tell a later pass for which size of the deployment a set was scaled. */
export const sizeAnnotations = ({ replicas, surge }: Numbers): Record<string, string> => ({
  [ANNOTATION_DESIRED]: String(replicas),
  [ANNOTATION_MAX]: String(replicas + surge),
});

/** A number that an annotation of the set holds, undefined when there is none. */
export function annotated({ set }: SetFact, key: string): number | undefined {
  const value = Number.parseInt(set.metadata.annotations?.[key] ?? '', 10);
  return Number.isNaN(value) ? undefined : value;
}

/** Machines of the set that no cache shows yet: they are there, or may come (births.ts). */
export const birthsOf = ({ births = 0 }: SetFact): number => births;

/** Nothing is there of the set's machines, and nothing may come that was asked for. */
export const isEmpty = (fact: SetFact): boolean => fact.machines.length + birthsOf(fact) === 0;
