/** How long a machine is let alone of which something was refused, milliseconds: rules and rights change by hand. */
const RETRY_MS = 60_000;
/** The same of one that failed by chance: it changed meanwhile, or nobody answered. */
const SOON_MS = 2_000;

/**
 * Machines of which a change or the deletion was refused, as by a policy. The set goes on with everything else
 * meanwhile: one of them must not keep the others from being made or deleted.
 */
export class Refusals {
  readonly #until = new Map<string, number>();

  /**
   * Remembers one by its UID.
   * @param isJudged it would be refused again now, for it did not fail by chance
   * @param now on the monotonic clock, here and below
   */
  add(uid: string, isJudged: boolean, now: number): void {
    this.#until.set(uid, now + (isJudged ? RETRY_MS : SOON_MS));
  }

  /** UIDs of those that are let alone at that moment. */
  at(now: number): ReadonlySet<string> {
    for (const [uid, until] of this.#until) if (until <= now) this.#until.delete(uid);
    return new Set(this.#until.keys());
  }

  /** Milliseconds until the next of them is tried again; Infinity when there is none. */
  endsIn(now: number): number {
    return Math.min(...[...this.#until.values()].map((until) => until - now));
  }
}
