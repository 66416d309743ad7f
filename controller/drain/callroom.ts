import { clusterKeyIn, nodeKeyIn } from '../model/target.ts';
import { type Groups, halfOfTheRest, Taken } from '../runtime/fairness/bounds.ts';
import type { Room } from './flow/view.ts';
import type { DrainRequest } from './memory.ts';
import type { Attempt } from './podtracker.ts';

/** Whose calls they are. */
type Caller = Pick<DrainRequest, 'target' | 'nodeName' | 'key'>;

/**
 * Calls in flight for all Nodes of a target cluster, of each kind. Those for pods whose last call came to nothing are few, and apart: where
 * they hang nobody else waits for them. Together they are fewer than may be open to a target (targets/pool.ts), which leaves room to all else.
 */
const MOST = { first: 20, again: 8 };
/** Of the first ones so many are for Nodes of whose calls none came to nothing: others may hang however many there are. */
const KEPT = 5;

/**
 * Room for calls of drains, by kind: deletions take none from evictions. A Node has at most half of what the others of its cluster leave
 * (hack/decisions/0045), so that there is some for the next one; who finds none is called when there is.
 */
export class CallRoom {
  readonly #taken = { eviction: potsOf(), deletion: potsOf() };
  /** Keys that found no room, by cluster, in the order in which they came. */
  readonly #waiting = new Map<string, Set<string>>();
  readonly #enqueue: (key: string) => void;

  constructor(enqueue: (key: string) => void) {
    this.#enqueue = enqueue;
  }

  /**
   * How many more calls of this kind may start; who finds no room waits.
   * @param most of all pods, those in flight included
   * @param failed calls of this Node came to nothing
   */
  left(kind: Attempt['kind'], caller: Caller, { most, failed }: { most: number; failed: boolean }): Room {
    const groups = groupsOf(caller);
    const { first, again } = this.#taken[kind];
    const own = first.own(0, groups) + again.own(0, groups);
    const left = (pot: Taken, kept = 0) =>
      Math.max(0, Math.min(pot.left(0, groups), pot.left(1, groups) - kept, most - own));
    const room = { first: left(first, failed ? KEPT : 0), again: left(again) };
    if (own < most && (room.first === 0 || room.again === 0)) this.#lineOf(caller).add(caller.key);
    return room;
  }

  /** One more call, or one less. */
  count(kind: Attempt['kind'], caller: Caller, { isAgain, change }: { isAgain: boolean; change: 1 | -1 }): void {
    const pot = this.#taken[kind][isAgain ? 'again' : 'first'];
    pot.count(groupsOf(caller), change);
    if (change < 0) this.#call(caller, pot);
  }

  /** Calls as many as there are places, all where nothing is in flight. */
  #call(caller: Caller, pot: Taken): void {
    const line = this.#lineOf(caller);
    const free = pot.own(1, groupsOf(caller)) === 0 ? Infinity : pot.left(1, groupsOf(caller));
    for (const key of [...line].slice(0, free)) {
      line.delete(key);
      this.#enqueue(key);
    }
    if (line.size === 0) this.#waiting.delete(clusterKeyIn(caller.target));
  }

  #lineOf({ target }: Caller): Set<string> {
    const cluster = clusterKeyIn(target);
    const line = this.#waiting.get(cluster) ?? new Set<string>();
    this.#waiting.set(cluster, line);
    return line;
  }
}

const groupsOf = ({ target, nodeName }: Caller): Groups => [nodeKeyIn(target, nodeName), clusterKeyIn(target)];

const potsOf = () => ({ first: potOf(MOST.first), again: potOf(MOST.again) });

const potOf = (all: number): Taken =>
  new Taken([{ within: 1, most: (others, most) => halfOfTheRest(most, others) }, { most: () => all }]);
