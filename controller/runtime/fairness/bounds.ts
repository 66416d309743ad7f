/** How many of something scarce a group may have. */
export interface Bound {
  /** The place of the bound whose groups are made up of these: others are those of the same one. Absent, all that is taken counts. */
  within?: number;
  /**
   * Tells how many a group may have while all others together have so many. @param all what the group around it may have,
   * Infinity without one. Must not rise as others have more
   */
  most: (others: number, all: number) => number;
}

/**
 * At most half of what the others leave (hack/decisions/0045): however many one party could use, there is as much for the next
 * that comes, and one party alone never takes all. Of a single thing somebody must be able to take it.
 */
export const halfOfTheRest = (all: number, others: number): number =>
  others === 0 ? Math.max(1, Math.floor(all / 2)) : Math.floor((all - others) / 2);

/** What one of several parties may have of so many; a party that shares with nobody may have all that is left. */
export const shareOf = (all: number, others: number, isShared: boolean): number =>
  isShared ? halfOfTheRest(all, others) : all - others;

/** Names the group in which something counts for each bound, in the order of the bounds. */
export type Groups = readonly string[];

/** What is taken of something scarce, by group and bound. */
export class Taken {
  readonly #bounds: readonly Bound[];
  readonly #of: Array<Map<string, number>>;
  #all = 0;

  constructor(bounds: readonly Bound[]) {
    this.#bounds = bounds;
    this.#of = bounds.map(() => new Map());
  }

  /** One more in each of these groups, or one less. */
  count(groups: Groups, change: 1 | -1): void {
    this.#all += change;
    for (const [bound, group] of groups.entries()) {
      const own = this.own(bound, groups) + change;
      if (own > 0) this.#of[bound]?.set(group, own);
      else this.#of[bound]?.delete(group);
    }
  }

  /** How many the group of this bound has. */
  own(bound: number, groups: Groups): number {
    return this.#of[bound]?.get(groups[bound] ?? '') ?? 0;
  }

  /** How many more the group of this bound may take, or a group beside it that has so many. */
  left(bound: number, groups: Groups, own = this.own(bound, groups)): number {
    return this.#most(bound, groups, own) - own;
  }

  /** The first bound that has no room for one more. */
  lacking(groups: Groups): number | undefined {
    const at = groups.findIndex((_, bound) => this.left(bound, groups) <= 0);
    return at < 0 ? undefined : at;
  }

  /** The group around one that has nothing: to all of those in it the bound says the same. Undefined for any other. */
  around(bound: number, groups: Groups): string | undefined {
    const within = this.#bounds[bound]?.within;
    return within === undefined || this.own(bound, groups) > 0 ? undefined : groups[within];
  }

  #most(bound: number, groups: Groups, own: number): number {
    const { within, most = () => Infinity } = this.#bounds[bound] ?? {};
    if (within === undefined) return most(this.#all - own, Infinity);
    const around = this.own(within, groups);
    return most(around - own, this.#most(within, groups, around));
  }
}
