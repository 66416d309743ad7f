/** What keys of one party may have together, whatever the rooms. */
export interface Parties {
  /** On whose behalf a key asks. */
  partyOf: (key: string) => string;
  /** How many a party may have while the others together have so many. */
  most: (others: number) => number;
}

/**
 * At most half of what the others leave (hack/decisions/0045): however many one party could use, there is as much for the next
 * that comes, and one party alone never takes all. Of a single thing somebody must be able to take it.
 */
export const halfOfTheRest = (all: number, others: number): number =>
  others === 0 ? Math.max(1, Math.floor(all / 2)) : Math.floor((all - others) / 2);

/** Counts what each party has. */
export class PartyShare {
  readonly #parties: Parties;
  readonly #taken = new Map<string, number>();
  #all = 0;

  constructor(parties: Parties) {
    this.#parties = parties;
  }

  /** The party of a key. */
  of(key: string): string {
    return this.#parties.partyOf(key);
  }

  /** How many more a party may have now; negative when the others came later. */
  left(party: string): number {
    const own = this.#taken.get(party) ?? 0;
    return this.#parties.most(this.#all - own) - own;
  }

  /** The party has one more, or with -1 one less. */
  add(party: string, change: 1 | -1): void {
    const own = (this.#taken.get(party) ?? 0) + change;
    this.#all += change;
    if (own > 0) this.#taken.set(party, own);
    else this.#taken.delete(party);
  }
}
