import type { Asker } from './sharing.ts';
import { Turns, type TurnsOptions } from './turns.ts';

/** Bounds the calls that are open at once to one party; others wait for their turn (turns.ts). */
export class OpenShare {
  readonly #most: () => number;
  readonly #turns: Turns;
  #open = 0;

  /** @param options `most`: how many, at least 1; asked anew each time */
  constructor({ most, ...options }: TurnsOptions & { most: () => number }) {
    this.#most = most;
    this.#turns = new Turns(options);
  }

  /** Resolves, with what gives the place back, once there is one; rejects with the signal's reason when that aborts. */
  async enter(signal: AbortSignal, asker: Asker): Promise<() => void> {
    const turn = this.#turns.wait(asker, signal);
    this.#serve();
    await turn;
    return this.#exit();
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
    while (this.#turns.size > 0 && this.#open < Math.max(1, this.#most())) {
      this.#open += 1;
      this.#turns.next();
    }
  }
}
