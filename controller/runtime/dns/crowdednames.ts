import type { Clock } from '../clock.ts';
import { TooManyAddresses } from './judgednames.ts';

/** For how long a name that has too many addresses is not asked for again, milliseconds, and how many such names are known. */
const KEPT = { ms: 300_000, names: 1_000 };

/** Names that have too many addresses: each answer that says so is long, and costs the event loop its time. */
export class CrowdedNames {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #known = new Map<string, { error: TooManyAddresses; at: number }>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** What is asked for, unless the name was refused of late. Throws TooManyAddresses, or whatever the question does. */
  async unless<V>(name: string, ask: () => Promise<V>): Promise<V> {
    const known = this.#known.get(name);
    if (known && this.#clock.monotonic() - known.at < KEPT.ms) throw known.error;
    try {
      return await ask();
    } catch (error) {
      if (error instanceof TooManyAddresses) this.#keep(name, error);
      throw error;
    }
  }

  #keep(name: string, error: TooManyAddresses): void {
    this.#known.delete(name);
    this.#known.set(name, { error, at: this.#clock.monotonic() });
    const [first] = this.#known.keys();
    if (this.#known.size > KEPT.names && first !== undefined) this.#known.delete(first);
  }
}
