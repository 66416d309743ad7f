import type { Clock } from '../runtime/clock.ts';
import { Deadline, unlessAborted } from '../runtime/deadline.ts';
import { jitter, type Random } from '../runtime/random.ts';
import { EVICTION_RETRY_MS } from './flow/force.ts';

/** Longest time of a look-up. */
const LOOKUP_MS = 30_000;

/** What a look-up needs beside the call. */
export interface LookupParts {
  clock: Clock;
  random: Random;
  /** Called when there is an answer. */
  wake: () => void;
}

/** One thing that is looked up now and then: of what was known the latest counts, whatever fails after it. */
export class Lookup<T> {
  value: T | undefined;
  /** Why the latest look-up failed. */
  failure: string | undefined;
  #flight: AbortController | undefined;
  #askedAt = Number.NEGATIVE_INFINITY;
  #retryMs = 0;
  readonly #o: LookupParts;

  constructor(o: LookupParts) {
    this.#o = o;
  }

  /** It is under way. */
  get flying(): boolean {
    return this.#flight !== undefined;
  }

  /** Whether it was last asked for so long ago; after a failure that rests for longer. */
  isDue(ms: number): boolean {
    const rest = this.failure === undefined ? ms : this.#retryMs;
    return !this.flying && this.#o.clock.monotonic() - this.#askedAt >= rest;
  }

  /** Looks it up, unless that is under way. */
  start(run: (signal: AbortSignal) => Promise<T>): void {
    if (this.#flight) return;
    this.#flight = new AbortController();
    this.#askedAt = this.#o.clock.monotonic();
    void this.#ask(run, this.#flight);
  }

  /** What was known, or is on its way, counts no more. It is asked for again no sooner than it would be. */
  drop(): void {
    this.#flight?.abort(new DOMException('nobody wants to know any more', 'AbortError'));
    this.#flight = undefined;
    this.value = undefined;
    this.failure = undefined;
  }

  async #ask(run: (signal: AbortSignal) => Promise<T>, flight: AbortController): Promise<void> {
    const { clock, random, wake } = this.#o;
    const reason = () => new DOMException('it took too long', 'TimeoutError');
    const deadline = new Deadline({ clock, ms: LOOKUP_MS, parent: flight.signal, reason });
    const settle = (change: () => void) => {
      if (this.#flight !== flight) return;
      this.#flight = undefined;
      change();
      wake();
    };
    try {
      const value = await unlessAborted(run(deadline.signal), deadline.signal);
      settle(() => Object.assign(this, { value, failure: undefined }));
    } catch (error) {
      const failure = error instanceof Error ? error.message : String(error);
      settle(() => Object.assign(this, { failure }));
      this.#retryMs = jitter(random, EVICTION_RETRY_MS);
    } finally {
      deadline.end();
    }
  }
}
