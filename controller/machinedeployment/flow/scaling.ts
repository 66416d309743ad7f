import { ANNOTATION_DESIRED, ANNOTATION_MAX, ANNOTATION_SCALED_BY_SCALER } from '../../../schemas/keys.ts';
import type { Machine } from '../../../schemas/machine.ts';
import type { MachineDeployment } from '../../../schemas/machinedeployment.ts';
import { timeOf } from '../../../schemas/rules/time.ts';
import { isLive, isVictim } from '../../model/machine.ts';
import {
  annotated,
  availableOf,
  isEmpty,
  leastAvailable,
  type Numbers,
  preservedOf,
  type Scaling,
  type SetFact,
  specReplicas,
  sum,
} from './view.ts';

/** What a change of the deployment's size is judged by (hack/spec/mcm.md 4.6). */
export interface Sizes {
  now: number;
  deployment: MachineDeployment;
  numbers: Numbers;
  newSet: SetFact;
  /** Oldest first. */
  oldSets: readonly SetFact[];
}

/** The deployment's size changed since its sets were last scaled. */
export function isScalingEvent(sizes: Sizes): boolean {
  const { numbers, newSet, oldSets } = sizes;
  const active = [newSet, ...oldSets].filter((fact) => specReplicas(fact) > 0);
  if (active.length === 0) return numbers.replicas > 0 && mayRefill(sizes);
  return active.some((fact) => (annotated(fact, ANNOTATION_DESIRED) ?? numbers.replicas) !== numbers.replicas);
}

/**
 * Where no set wants machines, MCM scales the newest (hack/spec/mcm.md 4.6). While machines of older ones are still leaving that is the
 * rollout's to do, which waits until there is room, or for the last of them; a paused deployment has none.
 */
const mayRefill = ({ deployment: { spec }, oldSets }: Sizes): boolean =>
  oldSets.every(isEmpty) || (spec.paused === true && spec.strategy?.type !== 'Recreate');

/** Sets that make machines up to another limit than the strategy's present one, at the size that they have. */
export const withOldLimits = ({ numbers, newSet, oldSets }: Sizes): Scaling[] =>
  [newSet, ...oldSets]
    .filter((fact) => specReplicas(fact) > 0)
    .filter((fact) => annotated(fact, ANNOTATION_MAX) !== numbers.replicas + numbers.surge)
    .map((fact) => ({ set: fact.set, replicas: specReplicas(fact) }));

/**
 * New sizes of the sets: all of it to a single one; of several the new one alone grows, and all shrink in proportion, so that a rollout goes on
 * where it stands. Once the new one is complete the old ones go to 0.
 */
export function planScaling(sizes: Sizes): Scaling[] {
  const { numbers, newSet, oldSets } = sizes;
  const active = [...oldSets, newSet].filter((fact) => specReplicas(fact) > 0);
  const [only = newSet] = active;
  if (active.length <= 1) return [{ set: only.set, replicas: numbers.replicas }];
  if (isSaturated(sizes)) return active.filter((fact) => fact !== newSet).map(({ set }) => ({ set, replicas: 0 }));
  return proportional(sizes, active);
}

function isSaturated({ numbers: { replicas }, newSet, now }: Sizes): boolean {
  const desired = annotated(newSet, ANNOTATION_DESIRED);
  return specReplicas(newSet) === replicas && desired === replicas && availableOf(newSet, now) === replicas;
}

function proportional(seen: Sizes, active: SetFact[]): Scaling[] {
  const { numbers, newSet, deployment } = seen;
  const allowed = numbers.replicas > 0 ? numbers.replicas + numbers.surge : 0;
  const sizes = new Map(active.map((fact) => [fact, withoutVictims(fact, deployment)]));
  const size = (fact: SetFact) => sizes.get(fact) ?? 0;
  const delta = allowed - sum(active, size);
  const isTargeted = active.some((fact) => size(fact) < specReplicas(fact));
  const grown = (fact: SetFact) => (fact === newSet && !isTargeted ? Math.max(0, delta) : 0);
  if (delta >= 0) return active.map((fact) => ({ set: fact.set, replicas: size(fact) + grown(fact) }));
  const bySize = active.map((fact) => ({ fact, size: size(fact) })).sort((a, b) => b.size - a.size);
  const before = deployment.status?.replicas ?? 0;
  const shares = bySize.map((sized) => shareOf(sized, { numbers, before }));
  return sparing(seen, spread(bySize, shares, delta));
}

/** Machines that a scaler named go first, each from its own set, and no other in its place (hack/spec/mcm.md 4.11, hack/decisions/0051 S14). */
const withoutVictims = (fact: SetFact, deployment: MachineDeployment): number =>
  Math.max(0, specReplicas(fact) - fact.machines.filter(victimOf(deployment)).length);

/** Whether a scaler named the machine. */
function victimOf({ metadata }: MachineDeployment): (machine: Machine) => boolean {
  const until = timeOf(metadata.annotations?.[ANNOTATION_SCALED_BY_SCALER]);
  return (machine) => isLive(machine) && isVictim(machine, until);
}

/** A set, and how many machines it has once those are gone that a scaler named. */
interface Sized {
  fact: SetFact;
  size: number;
}

/** A set's part of the change: its new size, rounded half up, less its present one (hack/spec/mcm.md 4.6). */
function shareOf({ fact, size }: Sized, { numbers, before }: { numbers: Numbers; before: number }): number {
  if (numbers.replicas === 0) return -size;
  const most = annotated(fact, ANNOTATION_MAX) || before || size;
  return Math.round((size * (numbers.replicas + numbers.surge)) / most) - size;
}

/** Gives each set its share as long as the sum stays within `delta`; what is left over goes to the first, the largest. */
function spread(sets: readonly Sized[], shares: readonly number[], delta: number): Scaling[] {
  let rest = delta;
  const scalings = sets.map(({ fact, size }, at) => {
    const share = Math.max(rest, Math.min(0, shares[at] ?? 0));
    rest -= share;
    return { set: fact.set, replicas: size + share };
  });
  const [largest] = scalings;
  if (largest) largest.replicas = Math.max(0, largest.replicas + rest);
  return scalings;
}

/**
 * In proportion, sets with machines that are available give up some of them while others keep some that are not. Where fewer
 * would be available than have to be, the latter give up more instead, old ones first (hack/decisions/0058).
 */
function sparing(sizes: Sizes, scalings: Scaling[]): Scaling[] {
  const { now, numbers, newSet, oldSets, deployment } = sizes;
  const isNamed = victimOf(deployment);
  const scalingOf = new Map(scalings.map((scaling) => [scaling.set, scaling]));
  const parts = [...oldSets, newSet].flatMap((fact) => {
    const scaling = scalingOf.get(fact.set);
    const machines = fact.machines.filter((machine) => !isNamed(machine));
    const available = Math.min(withoutVictims(fact, deployment), availableOf({ ...fact, machines }, now));
    return scaling ? [{ scaling, available, kept: preservedOf(fact, now) }] : [];
  });
  const least = Math.min(
    leastAvailable(numbers, [newSet, ...oldSets], now),
    sum(parts, ({ available }) => available),
  );
  shift(parts, least - sum(parts, ({ scaling, available }) => Math.min(scaling.replicas, available)));
  return scalings;
}

interface Part {
  scaling: Scaling;
  /** Machines that are available, and others that are kept. */
  available: number;
  kept: number;
}

/** A set gives or takes, never both: each is done with before the next one is looked at (hack/decisions/0028 T86). */
function shift(parts: readonly Part[], lacking: number): void {
  const idleIn = ({ scaling, available, kept }: Part) => scaling.replicas - available - kept;
  const shortIn = ({ scaling, available }: Part) => available - scaling.replicas;
  const takers = parts.filter((part) => shortIn(part) > 0);
  const givers = parts.filter((part) => idleIn(part) > 0).toReversed();
  for (let left = lacking; left > 0; ) {
    const [to, from] = [takers.at(-1), givers.at(-1)];
    if (!to || !from) return;
    const count = Math.min(left, shortIn(to), idleIn(from));
    to.scaling.replicas += count;
    from.scaling.replicas -= count;
    left -= count;
    if (shortIn(to) <= 0) takers.pop();
    if (idleIn(from) <= 0) givers.pop();
  }
}
