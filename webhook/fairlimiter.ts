import type { Limiter } from '../controller/runtime/rate.ts';
import { Turns } from './turns.ts';

/** What a fair limiter is made of. */
interface FairLimiterParts {
  /** How fast turns follow one another. */
  limiter: Limiter;
  /** How many may work at once. */
  atOnce: number;
}

/** Lets callers work at a bounded rate and a bounded number at once, in turns that go round the groups of those who wait. */
export class FairLimiter {
  readonly #limiter: Limiter;
  readonly #atOnce: number;
  readonly #turns = new Turns<() => void>();
  #working = 0;
  #isServing = false;

  constructor({ limiter, atOnce }: FairLimiterParts) {
    this.#limiter = limiter;
    this.#atOnce = atOnce;
  }

  /**
   * Works when it is the caller's turn. Rejects with the signal's reason when that aborts before.
   * @param path groups of the caller, from the outermost on
   */
  async run<T>(path: readonly string[], signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    await this.#turn(path, signal);
    try {
      return await work();
    } finally {
      this.#working--;
      void this.#serve();
    }
  }

  #turn(path: readonly string[], signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const go = () => {
        signal.removeEventListener('abort', leave);
        this.#working++;
        resolve();
      };
      const leave = () => {
        this.#turns.remove(path, go);
        reject(signal.reason);
      };
      signal.addEventListener('abort', leave, { once: true });
      this.#turns.add(path, go);
      void this.#serve();
    });
  }

  async #serve(): Promise<void> {
    if (this.#isServing) return;
    this.#isServing = true;
    while (!this.#turns.isEmpty && this.#working < this.#atOnce) {
      await this.#limiter.take();
      this.#turns.next()?.();
    }
    this.#isServing = false;
  }
}
