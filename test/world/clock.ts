import { drainMicrotasks } from 'bun:jsc';
import { MONOTONIC_START } from '../../controller/runtime/clock.fake.ts';
import { type Clock, sleepOn } from '../../controller/runtime/clock.ts';
import { Heap, type Heaped } from '../../controller/runtime/heap.ts';

interface Timer extends Heaped {
  at: number;
  order: number;
  run: () => void;
}

/**
 * A clock that goes from timer to timer, as fast as the work between them allows. After each timer every promise that
 * can settle has settled, so that the same timers lead to the same run.
 */
export class WorldClock implements Clock {
  #now: number;
  readonly #start: number;
  #order = 0;
  readonly #timers = new Heap<Timer>((a, b) => a.at < b.at || (a.at === b.at && a.order < b.order));

  /** @param start the first moment, milliseconds since the epoch */
  constructor(start = Date.parse('2026-01-01T00:00:00Z')) {
    this.#now = start;
    this.#start = start - MONOTONIC_START;
  }

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#now - this.#start;
  }

  after(ms: number, run: () => void): () => void {
    if (ms === Number.POSITIVE_INFINITY) return () => {};
    // As the machine's timers do: whole milliseconds, never early.
    const timer = { at: this.#now + Math.ceil(Math.max(0, ms)), order: this.#order++, run };
    this.#timers.push(timer);
    return () => void this.#timers.remove(timer);
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return sleepOn(this, ms, signal);
  }

  /** Runs the next timer and everything that follows from it at once; false when none is left before `until`. */
  step(until: number): boolean {
    const timer = this.#timers.peek();
    if (!timer || timer.at > until) return false;
    this.#timers.remove(timer);
    this.#now = timer.at;
    timer.run();
    drainMicrotasks();
    return true;
  }
}
