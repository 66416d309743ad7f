/** How often something came to nothing without a success between, and since when on the monotonic clock. */
export interface Streak {
  count: number;
  since: number;
}

/** Something that was refused, and when it is tried again, in milliseconds of the monotonic clock. */
export interface RefusedAction {
  retryAt: number;
}

/**
 * What was refused of each owner's actions. It is let alone until its time; afterwards it is known on, for who asks how often
 * that was, until it succeeds or its owner has gone.
 */
export class RefusedActions<T extends RefusedAction> {
  readonly #byOwner = new Map<string, Map<string, T>>();

  /** @param action what tells it from others of the owner's */
  add(owner: string, action: string, refused: T): void {
    const known = this.#byOwner.get(owner) ?? new Map<string, T>();
    this.#byOwner.set(owner, known.set(action, refused));
  }

  /** What is known of an action, be it let alone or due again. */
  of(owner: string, action: string): T | undefined {
    return this.#byOwner.get(owner)?.get(action);
  }

  /** What is let alone at that moment, by action, in the order in which it was refused first. */
  at(owner: string, now: number): ReadonlyMap<string, T> {
    return new Map([...(this.#byOwner.get(owner) ?? [])].filter(([, { retryAt }]) => retryAt > now));
  }

  /** What is due again at that moment is known no longer. */
  drop(owner: string, now: number): void {
    const known = this.#byOwner.get(owner);
    for (const [action, { retryAt }] of known ?? []) if (retryAt <= now) known?.delete(action);
  }

  /** The action has succeeded. */
  overcome(owner: string, action: string): void {
    this.#byOwner.get(owner)?.delete(action);
  }

  /** The owner is gone. */
  forget(owner: string): void {
    this.#byOwner.delete(owner);
  }
}
