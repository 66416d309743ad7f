/** What stands in a chain; each thing in one chain at a time. The fields are the chain's. */
export interface Linked<T> {
  previous?: T | undefined;
  next?: T | undefined;
}

/** A list that is added to at its end and taken from anywhere, each in constant time. Its fields are for reading. */
export class Chain<T extends Linked<T>> {
  // No private fields: lines (sharing.ts) make chains by the thousand, and those take several times as long to make.
  first: T | undefined = undefined;
  last: T | undefined = undefined;

  /** Puts an item that is in no chain at the end. */
  push(item: T): void {
    item.previous = this.last;
    item.next = undefined;
    if (this.last) this.last.next = item;
    else this.first = item;
    this.last = item;
  }

  /** Takes an item out that is in this chain. */
  remove(item: T): void {
    if (item.previous) item.previous.next = item.next;
    else this.first = item.next;
    if (item.next) item.next.previous = item.previous;
    else this.last = item.previous;
    item.previous = undefined;
    item.next = undefined;
  }
}

/** A party that comes and goes. */
interface Known {
  readonly name: string;
  /** It wants nothing now. */
  isEmpty(): boolean;
}

/** So many parties that want nothing are remembered beside half of all that are known, for they come again. */
const MOST_IDLE = 16;

/** Parties by name: those that wait, and some that did not long ago. */
export class Acquaintances<P extends Known> {
  // No private fields: lines make these by the thousand (chain.ts).
  /** The one that was asked for last: much of what comes at once is of one party. */
  latest: P | undefined = undefined;
  /** Absent while only one is known. */
  byName: Map<string, P> | undefined = undefined;
  rests = 0;

  get(name: string): P | undefined {
    if (this.latest?.name === name) return this.latest;
    const found = this.byName?.get(name);
    if (found) this.latest = found;
    return found;
  }

  /** Takes one in that is not known. */
  add(party: P): void {
    if (this.latest) this.byName ??= new Map([[this.latest.name, this.latest]]);
    this.byName?.set(party.name, party);
    this.latest = party;
  }

  /** One more has begun to want nothing. After many of those, all that do are forgotten. */
  rest(): void {
    this.rests += 1;
    const { byName } = this;
    if (!byName || this.rests <= MOST_IDLE + byName.size / 2) return;
    this.rests = 0;
    for (const [name, one] of byName) if (one.isEmpty()) byName.delete(name);
    this.latest = byName.values().next().value;
  }
}
