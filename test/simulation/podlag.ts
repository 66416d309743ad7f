import type { WorldClock } from '../world/clock.ts';
import type { Chance } from './chance.ts';
import type { Trace } from './trace.ts';

/** In some runs the watches of pods stand still now and then, milliseconds: the server's cache is behind, and nobody notices. */
const LAG = { rate: 0.5, after: { from: 1_000, to: 60_000 }, lasts: { from: 5_000, to: 90_000 } };

/** How far the watches of pods of a cluster are behind, while everything else that its API server says is the latest. */
export class PodLag {
  readonly #parts: { clock: WorldClock; chance: Chance; trace: Trace };
  #until = 0;
  #isOver = false;

  constructor(parts: { clock: WorldClock; chance: Chance; trace: Trace }) {
    this.#parts = parts;
    if (parts.chance.happens(LAG.rate)) this.#later();
  }

  /** For how long a line of the watch of this path is kept back, milliseconds. */
  left(path: string): number {
    return path.startsWith('/api/v1/pods?') ? Math.max(0, this.#until - this.#parts.clock.now()) : 0;
  }

  /** There is no lag any more; lines that are kept back come as they would. */
  end(): void {
    this.#isOver = true;
    this.#until = 0;
  }

  #later(): void {
    const { clock, chance, trace } = this.#parts;
    clock.after(chance.between(LAG.after.from, LAG.after.to), () => {
      if (this.#isOver) return;
      const ms = chance.between(LAG.lasts.from, LAG.lasts.to);
      this.#until = clock.now() + ms;
      trace.note('injector', 'watches of pods stand still', { ms: Math.round(ms) });
      clock.after(ms, () => this.#later());
    });
  }
}
