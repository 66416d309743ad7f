import { type Clock, sleepOn } from './clock.ts';

interface Timer {
  at: number;
  order: number;
  run: () => void;
}

/** Where the monotonic clock of tests begins: far from the epoch, so that the two are never taken for one another. */
export const MONOTONIC_START = 1_000_000;

/** A clock that stands still until a test advances it; timers then run in the order in which they are due. */
export class FakeClock implements Clock {
  /** The monotonic clock, which the timers go by. */
  #now = MONOTONIC_START;
  /** How far the wall clock is ahead of it. */
  #ahead: number;
  #order = 0;
  readonly #timers = new Set<Timer>();

  /** @param start the first moment, milliseconds since the epoch */
  constructor(start = Date.parse('2026-01-01T00:00:00Z')) {
    this.#ahead = start - MONOTONIC_START;
  }

  now(): number {
    return this.#now + this.#ahead;
  }

  monotonic(): number {
    return this.#now;
  }

  /** Sets the wall clock forward by `ms`, or back; no time passes. */
  step(ms: number): void {
    this.#ahead += ms;
  }

  after(ms: number, run: () => void): () => void {
    const timer = { at: this.#now + Math.max(0, ms), order: this.#order++, run };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return sleepOn(this, ms, signal);
  }

  /** How many timers wait: a leak shows here. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Moves time on by `ms`, letting promises settle after each timer that became due. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await settle();
    for (let timer = this.#nextUntil(end); timer; timer = this.#nextUntil(end)) {
      this.#timers.delete(timer);
      this.#now = Math.max(this.#now, timer.at);
      timer.run();
      await settle();
    }
    this.#now = end;
  }

  #nextUntil(end: number): Timer | undefined {
    const due = [...this.#timers].filter((timer) => timer.at <= end);
    return due.sort((a, b) => a.at - b.at || a.order - b.order)[0];
  }
}

/** Lets every promise that can settle now do so. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
}
