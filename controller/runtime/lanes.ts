/**
 * Bounds how many workers wait for one outside party at a time: one that hangs keeps its own share of them, and the others
 * go on.
 */
export class Lanes {
  readonly #most: () => number;
  readonly #busy = new Map<string, number>();

  /** @param most how many at a time, at least 1; asked anew each time */
  constructor(most: () => number) {
    this.#most = most;
  }

  /** Takes a place for the party of this key, and answers what gives it back; undefined while its share is taken. */
  enter(key: string): (() => void) | undefined {
    const busy = this.#busy.get(key) ?? 0;
    if (busy >= Math.max(1, this.#most())) return undefined;
    this.#busy.set(key, busy + 1);
    let left = false;
    return () => {
      if (left) return;
      left = true;
      this.#leave(key);
    };
  }

  #leave(key: string): void {
    const busy = (this.#busy.get(key) ?? 1) - 1;
    if (busy > 0) this.#busy.set(key, busy);
    else this.#busy.delete(key);
  }
}
