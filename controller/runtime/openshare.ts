/** Bounds the calls that are open at once to one party; others wait for their turn, in the order in which they came. */
export class OpenShare {
  readonly #most: () => number;
  readonly #waiters = new Set<() => void>();
  #open = 0;

  /** @param most how many, at least 1; asked anew each time */
  constructor(most: () => number) {
    this.#most = most;
  }

  /** Resolves, with what gives the place back, once there is one; rejects with the signal's reason when that aborts. */
  enter(signal: AbortSignal): Promise<() => void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const go = () => {
        this.#waiters.delete(go);
        signal.removeEventListener('abort', leave);
        this.#open += 1;
        resolve(this.#exit());
      };
      const leave = () => {
        this.#waiters.delete(go);
        reject(signal.reason);
      };
      signal.addEventListener('abort', leave, { once: true });
      this.#waiters.add(go);
      this.#serve();
    });
  }

  #exit(): () => void {
    let left = false;
    return () => {
      if (left) return;
      left = true;
      this.#open -= 1;
      this.#serve();
    };
  }

  #serve(): void {
    for (const go of this.#waiters) {
      if (this.#open >= Math.max(1, this.#most())) return;
      go();
    }
  }
}
