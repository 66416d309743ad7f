import { isWilling } from '../../flow/refusals.ts';
import { takenBy } from '../../model/machine.ts';
import {
  availableOf,
  leastAvailable,
  type Numbers,
  preservedOf,
  type Scaling,
  type SetFact,
  specReplicas,
  sum,
} from './view.ts';

/** How a rolling update goes on: pure arithmetic over sets (hack/spec/mcm.md 4.5, 4.7). */
export interface Rollout {
  now: number;
  numbers: Numbers;
  newSet: SetFact;
  /** Oldest first. */
  oldSets: readonly SetFact[];
  /** What was refused of sets a moment ago: others shrink in their place. */
  refused?: ReadonlySet<string>;
}

/** Size of the new set: up to `replicas`, as far as replicas + surge leaves room beside everything that still holds a VM. */
export function newSetReplicas(numbers: Numbers, current: number, sets: readonly SetFact[]): number {
  const { replicas, surge } = numbers;
  if (current >= replicas) return replicas;
  const room = replicas + surge - sum(sets, (fact) => takenBy(specReplicas(fact), fact.machines));
  return room <= 0 ? current : current + Math.min(room, replicas - current);
}

/** Sizes of old sets that may shrink now: machines that are not available go first, then as many as can be missed. */
export function shrinkOldSets(rollout: Rollout): Scaling[] {
  const { now, numbers, newSet, oldSets } = rollout;
  const all = [newSet, ...oldSets];
  const kept = (fact: SetFact) => preservedOf(fact, now);
  const least = leastAvailable(numbers, all, now);
  const newMissing = specReplicas(newSet) - availableOf(newSet, now);
  const most = sum(all, specReplicas) - least - Math.max(0, newMissing);
  if (most <= 0) return [];
  const willing = oldSets.filter(({ set }) => isWilling(rollout, 'scale', set));
  const sizes = new Map(willing.map((fact) => [fact, specReplicas(fact)]));
  const unhealthy = (fact: SetFact) => Math.max(0, specReplicas(fact) - availableOf(fact, now) - kept(fact));
  const gone = take(sizes, most, unhealthy);
  const spare = Math.min(most - gone, sum(all, (fact) => availableOf(fact, now)) - least);
  take(sizes, spare, (fact) => sizes.get(fact) ?? 0);
  return changes(sizes);
}

/** Every old set that still wants machines, at 0. */
export const emptyOldSets = (oldSets: readonly SetFact[]): Scaling[] =>
  changes(new Map(oldSets.map((fact) => [fact, 0])));

/** Lowers sizes, oldest set first, by at most `budget` in all and `limit` each; answers by how much. */
function take(sizes: Map<SetFact, number>, budget: number, limit: (fact: SetFact) => number): number {
  let taken = 0;
  for (const [fact, size] of sizes) {
    const share = Math.max(0, Math.min(budget - taken, limit(fact), size));
    sizes.set(fact, size - share);
    taken += share;
  }
  return taken;
}

const changes = (sizes: ReadonlyMap<SetFact, number>): Scaling[] =>
  [...sizes].filter(([fact, size]) => size !== specReplicas(fact)).map(([{ set }, replicas]) => ({ set, replicas }));
