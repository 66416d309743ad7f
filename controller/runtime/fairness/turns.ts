import type { Clock } from '../clock.ts';
import type { Asker } from './sharing.ts';
import { type Aging, Waitlist } from './waitlist.ts';

/** How promises take turns. */
export interface TurnsOptions {
  clock: Clock;
  /** Parties share the turns, and priorities of one level rank alike between them; without it flows are ignored. */
  levelOf?: ((priority: number) => number) | undefined;
}

/** Whoever has waited for a second goes first now and then: callers hold workers, and their own time runs. */
const SERVING = { agedAfterMs: 1_000, agedShare: 4 };

interface Waiter extends Aging<Waiter> {
  go: () => void;
}

/** Promises that wait for their turn, in the order of sharing.ts. */
export class Turns {
  readonly #clock: Clock;
  readonly #line: Waitlist<Waiter>;
  #order = 0;

  constructor({ clock, levelOf }: TurnsOptions) {
    this.#clock = clock;
    this.#line = new Waitlist({ ...SERVING, levelOf });
  }

  /** How many wait. */
  get size(): number {
    return this.#line.size;
  }

  /** Resolves when it is this asker's turn; rejects with the signal's reason as soon as that aborts. */
  wait({ priority, flow }: Asker, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const go = () => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      const waiter: Waiter = { priority, flow, go, dueAt: this.#clock.monotonic(), order: this.#order++ };
      const leave = () => {
        this.#line.remove(waiter);
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', leave, { once: true });
      this.#line.push(waiter);
    });
  }

  /** Lets the next one go, if anybody waits. */
  next(): void {
    this.#line.serve(this.#clock.monotonic())?.go();
  }
}
