import { Chain, type Linked } from './chain.ts';

/**
 * On whose behalf something is asked for, the widest party first, for example `['namespace', 'cluster', 'owner']`. Parties
 * share what is scarce in equal parts; so do, within the part of each, the next narrower ones.
 */
export type Flow = readonly string[];

/** Whoever waits: how urgently, and on whose behalf. */
export interface Asker {
  /** Higher goes first. */
  priority: number;
  flow: Flow;
}

/** An asker in a line. What it says must not change while it stands there. */
export interface Standing<T> extends Asker, Linked<T> {}

/** How many parties a flow names at most; narrower ones count as one. */
const DEPTH = 3;

/** Those who wait, in the order in which they are served. */
export interface Line<T> {
  push(item: T): void;
  /** Who is served next. */
  peek(): T | undefined;
  /** Takes an item out that is in the line; `served` says whether it has had its turn, or only leaves. */
  remove(item: T, served: boolean): void;
  readonly isEmpty: boolean;
}

/** Highest priority first, then first come, first served. */
export const plainLine = <T extends Standing<T>>(): Line<T> => new Ranks<T>(priorityOf, () => new Fifo());

/**
 * Highest level first. Within a level the widest parties take turns, each with what is most urgent to it; within one
 * priority of a party the narrower ones take turns, and within the narrowest it is first come, first served. So of `n` parties that
 * wait, each is served once in `n` times, whatever the others ask for.
 * @param levelOf priorities of one level rank alike between parties; it must not fall as they rise
 */
export function fairLine<T extends Standing<T>>(levelOf: (priority: number) => number): Line<T> {
  const within = (): Line<T> => new Ranks<T>(priorityOf, () => partiesFrom(1));
  return new Ranks<T>(
    ({ priority }) => levelOf(priority),
    () => new Parties<T>(0, within),
  );
}

const partiesFrom = <T extends Standing<T>>(depth: number): Line<T> =>
  depth === DEPTH ? new Fifo() : new Parties<T>(depth, () => partiesFrom(depth + 1));

const priorityOf = ({ priority }: Asker): number => priority;

/** First come, first served. */
class Fifo<T extends Linked<T>> implements Line<T> {
  readonly #items = new Chain<T>();

  push(item: T): void {
    this.#items.push(item);
  }

  peek(): T | undefined {
    return this.#items.first;
  }

  remove(item: T): void {
    this.#items.remove(item);
  }

  get isEmpty(): boolean {
    return this.#items.first === undefined;
  }
}

interface Rank<T> {
  rank: number;
  line: Line<T>;
}

/** A line for each rank, the highest first. Ranks are few: they stand in a list, in their order. */
class Ranks<T> implements Line<T> {
  readonly #ranks: Array<Rank<T>> = [];
  readonly #rankOf: (item: T) => number;
  readonly #make: () => Line<T>;

  constructor(rankOf: (item: T) => number, make: () => Line<T>) {
    this.#rankOf = rankOf;
    this.#make = make;
  }

  push(item: T): void {
    const rank = this.#rankOf(item);
    const at = this.#placeOf(rank);
    const found = this.#ranks[at]?.rank === rank;
    if (!found) this.#ranks.splice(at, 0, { rank, line: this.#make() });
    this.#ranks[at]?.line.push(item);
  }

  peek(): T | undefined {
    return this.#ranks[0]?.line.peek();
  }

  remove(item: T, served: boolean): void {
    const at = this.#placeOf(this.#rankOf(item));
    const line = this.#ranks[at]?.line;
    line?.remove(item, served);
    if (line?.isEmpty) this.#ranks.splice(at, 1);
  }

  get isEmpty(): boolean {
    return this.#ranks.length === 0;
  }

  /** Where this rank stands, or would. */
  #placeOf(rank: number): number {
    let [from, to] = [0, this.#ranks.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((this.#ranks[middle]?.rank ?? rank) > rank) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}

interface Party<T> extends Linked<Party<T>> {
  name: string;
  line: Line<T>;
}

/** A line for each party, and they take turns: whoever was served, or is new, goes to the end. */
class Parties<T extends Asker> implements Line<T> {
  readonly #byName = new Map<string, Party<T>>();
  readonly #order = new Chain<Party<T>>();
  readonly #depth: number;
  readonly #make: () => Line<T>;

  constructor(depth: number, make: () => Line<T>) {
    this.#depth = depth;
    this.#make = make;
  }

  push(item: T): void {
    const name = item.flow[this.#depth] ?? '';
    let party = this.#byName.get(name);
    if (!party) {
      party = { name, line: this.#make() };
      this.#byName.set(name, party);
      this.#order.push(party);
    }
    party.line.push(item);
  }

  peek(): T | undefined {
    return this.#order.first?.line.peek();
  }

  remove(item: T, served: boolean): void {
    const party = this.#byName.get(item.flow[this.#depth] ?? '');
    if (!party) return;
    party.line.remove(item, served);
    const isEmpty = party.line.isEmpty;
    if (isEmpty || served) this.#order.remove(party);
    if (isEmpty) this.#byName.delete(party.name);
    else if (served) this.#order.push(party);
  }

  get isEmpty(): boolean {
    return this.#order.first === undefined;
  }
}
