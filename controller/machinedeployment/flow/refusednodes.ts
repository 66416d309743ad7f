/** How long a Node whose change was refused is let alone, milliseconds: rights and rules change by hand. */
const RETRY_MS = 600_000;

/** So many Nodes are remembered, the latest ones: who runs a target may say that it has ever new ones (hack/decisions/0028 T62). */
const MOST = 10_000;

/** A longer UID no API server gives. */
const MOST_UID = 128;

/** Remembers Nodes whose change the API server refused: a rollout does not wait for them. */
export class RefusedNodes {
  /** Those that are over first. */
  readonly #retryAt = new Map<string, number>();

  /** @param now on the monotonic clock, here and below */
  add(uid: string, now: number): void {
    if (uid.length > MOST_UID) return;
    this.#retryAt.delete(uid);
    this.#retryAt.set(uid, now + RETRY_MS);
    for (const [first, retryAt] of this.#retryAt) {
      if (retryAt > now && this.#retryAt.size <= MOST) break;
      this.#retryAt.delete(first);
    }
  }

  /** Whether the Node is let alone at that moment; one with a UID that is none always is. */
  has(uid: string, now: number): boolean {
    if (uid.length > MOST_UID) return true;
    const retryAt = this.#retryAt.get(uid);
    if (retryAt !== undefined && retryAt <= now) this.#retryAt.delete(uid);
    return retryAt !== undefined && retryAt > now;
  }

  /** Milliseconds until one of these Nodes is tried again; Infinity when none was refused. */
  retryIn(uids: Iterable<string>, now: number): number {
    return Math.min(...[...uids].map((uid) => (this.#retryAt.get(uid) ?? Infinity) - now));
  }

  /** How many are remembered. */
  get size(): number {
    return this.#retryAt.size;
  }
}
