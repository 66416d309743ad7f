import type { Clock } from '../clock.ts';
import { jitter, type Random } from '../random.ts';
import type { Asker } from './sharing.ts';
import { Turns, type TurnsOptions } from './turns.ts';

/** Lets callers go on at a bounded rate. */
export interface Limiter {
  /**
   * Resolves when the caller may go on; of those who wait, the asker's turn comes as turns.ts has it. Rejects with the
   * signal's reason when it aborts.
   */
  take(signal?: AbortSignal, asker?: Asker): Promise<void>;
}

/** Slack for sums of fractions: a token this close to whole is whole. */
const ROUNDING = 1e-6;

/** A limiter that lets `burst` calls (at least 1) through at once and `qps` (above 0) a second in the long run. */
export function tokenBucket(options: BucketOptions): Limiter {
  return new TokenBucket(options);
}

interface BucketOptions extends TurnsOptions {
  qps: number;
  burst: number;
}

/** Who asks without an asker: all of them are alike, first come, first served. */
const ANYBODY: Asker = { priority: 0, flow: [] };

class TokenBucket implements Limiter {
  readonly #clock: Clock;
  readonly #perMs: number;
  readonly #burst: number;
  readonly #waiters: Turns;
  #tokens: number;
  #filledAt: number;
  #timerSet = false;

  constructor({ clock, levelOf, qps, burst }: BucketOptions) {
    if (!(qps > 0 && burst >= 1))
      throw new RangeError(`rate: qps must be above 0 and burst at least 1, not ${qps} and ${burst}`);
    this.#clock = clock;
    this.#perMs = qps / 1000;
    this.#burst = burst;
    this.#waiters = new Turns({ clock, levelOf });
    this.#tokens = burst;
    this.#filledAt = clock.monotonic();
  }

  take(signal?: AbortSignal, asker: Asker = ANYBODY): Promise<void> {
    if (!signal?.aborted && this.#waiters.size === 0 && this.#spend()) return Promise.resolve();
    const turn = this.#waiters.wait(asker, signal);
    this.#setTimer();
    return turn;
  }

  #spend(): boolean {
    const now = this.#clock.monotonic();
    // While somebody waits nothing is saved up, so a timer that is late or rounded costs no part of the rate.
    const most = this.#waiters.size > 0 ? Infinity : this.#burst;
    this.#tokens = Math.min(most, this.#tokens + Math.max(0, now - this.#filledAt) * this.#perMs);
    this.#filledAt = now;
    if (this.#tokens < 1 - ROUNDING) return false;
    this.#tokens -= 1;
    return true;
  }

  #serve(): void {
    this.#timerSet = false;
    while (this.#waiters.size > 0 && this.#spend()) this.#waiters.next();
    this.#setTimer();
  }

  #setTimer(): void {
    if (this.#timerSet || this.#waiters.size === 0) return;
    this.#timerSet = true;
    this.#clock.after(Math.ceil((1 - this.#tokens) / this.#perMs), () => this.#serve());
  }
}

/** Which delays a {@link Backoff} has, milliseconds. */
interface BackoffOptions {
  random: Random;
  baseMs: number;
  capMs: number;
  /** How a delay is spread; by a fifth either way when absent. */
  spread?: (random: Random, ms: number) => number;
}

/** Growing delays for each key that keeps failing: doubled from `baseMs` up to `capMs`, and spread. */
export class Backoff {
  readonly #random: Random;
  readonly #baseMs: number;
  readonly #capMs: number;
  readonly #spread: (random: Random, ms: number) => number;
  readonly #failures = new Map<string, number>();

  constructor({ random, baseMs, capMs, spread = jitter }: BackoffOptions) {
    this.#random = random;
    this.#spread = spread;
    this.#baseMs = baseMs;
    this.#capMs = capMs;
  }

  /** Counts one more failure of `key` and answers how many milliseconds to wait; never more than the cap. */
  next(key: string): number {
    const failures = this.count(key);
    this.#failures.set(key, failures + 1);
    const delay = Math.min(this.#capMs, this.#baseMs * 2 ** failures);
    return Math.min(this.#capMs, this.#spread(this.#random, delay));
  }

  /** `key` succeeded, or is gone: its next failure is its first. */
  forget(key: string): void {
    this.#failures.delete(key);
  }

  /** How often `key` failed since it was last forgotten. */
  count(key: string): number {
    return this.#failures.get(key) ?? 0;
  }
}
