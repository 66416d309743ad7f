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
