/** How long a Node whose change was refused is let alone, milliseconds: rights and rules change by hand. */
const RETRY_MS = 600_000;

/** Remembers Nodes whose change the API server refused: a rollout does not wait for them. */
export class RefusedNodes {
  readonly #retryAt = new Map<string, number>();

  /** @param now on the monotonic clock, here and below */
  add(uid: string, now: number): void {
    this.#retryAt.set(uid, now + RETRY_MS);
  }

  /** Whether the Node is let alone at that moment. */
  has(uid: string, now: number): boolean {
    const retryAt = this.#retryAt.get(uid);
    if (retryAt !== undefined && retryAt <= now) this.#retryAt.delete(uid);
    return retryAt !== undefined && retryAt > now;
  }

  /** Milliseconds until one of these Nodes is tried again; Infinity when none was refused. */
  retryIn(uids: Iterable<string>, now: number): number {
    return Math.min(...[...uids].map((uid) => (this.#retryAt.get(uid) ?? Infinity) - now));
  }
}
