import { Acquaintances, Chain, type Linked } from './chain.ts';

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

/** How what is scarce is shared. */
export interface Sharing {
  /** How urgently, and on whose behalf, a key waits. */
  askerOf: (key: string) => Asker;
  /** Priorities that rank alike between parties. */
  levelOf: (priority: number) => number;
}

/** An asker in a line. Its priority and flow must not change while it is there. */
export interface QueueEntry<T> extends Asker, Linked<T> {
  /** Its place; the line's own. */
  spot?: Spot<T> | undefined;
}

/** Where an item stands. */
interface Spot<T> {
  leave(item: T, served: boolean): void;
}

/** How many parties a flow names at most; narrower ones count as one. */
const DEPTH = 3;

/** Those who wait, in the order in which they are served. */
export interface Line<T> {
  push(item: T): void;
  /** Who is served next. */
  peek(): T | undefined;
}

/** Takes an item out of the line that it stands in; `served` says whether it has had its turn, or only leaves. */
export const leaveLine = <T extends QueueEntry<T>>(item: T, served: boolean): void => item.spot?.leave(item, served);

/** Highest priority first, then first come, first served. */
export const plainLine = <T extends QueueEntry<T>>(): Line<T> => new Ranks<T>(priorityOf, (rank) => new Fifo(rank));

/**
 * Highest level first. Within a level the widest parties take turns, each with what is most urgent to it; within one
 * priority of a party the narrower ones take turns, and within the narrowest it is first come, first served. So of `n` parties that
 * wait, each is served once in `n` times, whatever the others ask for.
 * @param levelOf priorities of one level rank alike between parties; it must not fall as they rise
 */
export function fairLine<T extends QueueEntry<T>>(levelOf: (priority: number) => number): Line<T> {
  const narrower = (depth: number): Make<T> =>
    depth === DEPTH
      ? (above, name) => new Fifo(above, name)
      : (above, name) => new Party(above, name, (party) => new Parties(party, depth, narrower(depth + 1)));
  const clusters = narrower(2);
  const widest: Make<T> = (above, name) =>
    new Party(above, name, (party) => new Ranks<T>(priorityOf, (rank) => new Parties(rank, 1, clusters), party));
  return new Ranks<T>(
    ({ priority }) => levelOf(priority),
    (rank) => new Parties(rank, 0, widest),
  );
}

const priorityOf = ({ priority }: Asker): number => priority;

/** What a line is part of; it is notified when an item leaves the line, so that the way to an item is looked up once. */
interface Above<T> {
  lost(line: Inner<T>, served: boolean): void;
}

/** A line within another. */
interface Inner<T> extends Line<T> {
  isEmpty(): boolean;
}

/** The line of one party. */
interface Named<T> extends Inner<T>, Linked<Named<T>> {
  readonly name: string;
}

/** Makes the line of a party. */
type Make<T> = (above: Above<T>, name: string) => Named<T>;

/** First come, first served. There may be one for each item: it is small, and made at once (chain.ts). */
class Fifo<T extends QueueEntry<T>> extends Chain<T> implements Named<T>, Spot<T> {
  previous: Named<T> | undefined = undefined;
  next: Named<T> | undefined = undefined;
  readonly name: string;
  readonly above: Above<T>;

  constructor(above: Above<T>, name = '') {
    super();
    this.above = above;
    this.name = name;
  }

  override push(item: T): void {
    super.push(item);
    item.spot = this;
  }

  peek(): T | undefined {
    return this.first;
  }

  leave(item: T, served: boolean): void {
    super.remove(item);
    item.spot = undefined;
    this.above.lost(this, served);
  }

  isEmpty(): boolean {
    return this.first === undefined;
  }
}

/** The line of one rank. */
class Rank<T> implements Above<T> {
  rank: number;
  readonly line: Inner<T>;
  readonly #ranks: Ranks<T>;

  constructor(rank: number, make: (rank: Above<T>) => Inner<T>, ranks: Ranks<T>) {
    this.rank = rank;
    this.#ranks = ranks;
    this.line = make(this);
  }

  lost(_line: Inner<T>, served: boolean): void {
    this.#ranks.left(this, served);
  }
}

/** A line for each rank, the highest first. Ranks are few: they stand in a list, in their order. */
class Ranks<T> implements Inner<T> {
  readonly #ranks: Array<Rank<T>> = [];
  readonly #rankOf: (item: T) => number;
  readonly #make: (rank: Above<T>) => Inner<T>;
  readonly #above: Above<T> | undefined;
  /** One that is empty, for the next rank that comes. */
  #spare: Rank<T> | undefined;

  constructor(rankOf: (item: T) => number, make: (rank: Above<T>) => Inner<T>, above?: Above<T>) {
    this.#rankOf = rankOf;
    this.#make = make;
    this.#above = above;
  }

  push(item: T): void {
    const rank = this.#rankOf(item);
    const at = this.#placeOf(rank);
    let found = this.#ranks[at];
    if (found?.rank !== rank) {
      found = this.#fresh(rank);
      this.#ranks.splice(at, 0, found);
    }
    found.line.push(item);
  }

  peek(): T | undefined {
    return this.#ranks[0]?.line.peek();
  }

  /** An item of this rank has gone. */
  left(rank: Rank<T>, served: boolean): void {
    if (rank.line.isEmpty()) {
      this.#ranks.splice(this.#placeOf(rank.rank), 1);
      this.#spare = rank;
    }
    this.#above?.lost(this, served);
  }

  isEmpty(): boolean {
    return this.#ranks.length === 0;
  }

  #fresh(rank: number): Rank<T> {
    const spare = this.#spare;
    if (!spare) return new Rank(rank, this.#make, this);
    this.#spare = undefined;
    spare.rank = rank;
    return spare;
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

/** The line of a party that others are part of. */
class Party<T> implements Named<T>, Above<T> {
  previous: Named<T> | undefined = undefined;
  next: Named<T> | undefined = undefined;
  readonly name: string;
  readonly above: Above<T>;
  readonly line: Inner<T>;

  constructor(above: Above<T>, name: string, make: (party: Above<T>) => Inner<T>) {
    this.above = above;
    this.name = name;
    this.line = make(this);
  }

  push(item: T): void {
    this.line.push(item);
  }

  peek(): T | undefined {
    return this.line.peek();
  }

  isEmpty(): boolean {
    return this.line.isEmpty();
  }

  lost(_line: Inner<T>, served: boolean): void {
    this.above.lost(this, served);
  }
}

/** A line for each party, and they take turns: whoever was served, or is new, goes to the end. */
class Parties<T extends Asker> implements Inner<T>, Above<T> {
  readonly order = new Chain<Named<T>>();
  readonly known = new Acquaintances<Named<T>>();
  readonly above: Above<T>;
  readonly depth: number;
  readonly make: Make<T>;

  constructor(above: Above<T>, depth: number, make: Make<T>) {
    this.above = above;
    this.depth = depth;
    this.make = make;
  }

  push(item: T): void {
    const name = item.flow[this.depth] ?? '';
    let party = this.known.get(name);
    if (!party) {
      party = this.make(this, name);
      this.known.add(party);
    }
    if (party.isEmpty()) this.order.push(party);
    party.push(item);
  }

  peek(): T | undefined {
    return this.order.first?.peek();
  }

  /** An item of this party has gone. */
  lost(party: Named<T>, served: boolean): void {
    const isEmpty = party.isEmpty();
    if (isEmpty || served) this.order.remove(party);
    if (isEmpty) this.known.rest();
    else if (served) this.order.push(party);
    this.above.lost(this, served);
  }

  isEmpty(): boolean {
    return this.order.first === undefined;
  }
}
