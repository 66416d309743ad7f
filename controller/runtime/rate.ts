import type { Clock } from './clock.ts';
import { jitter, type Random } from './random.ts';

/** Lets callers go on at a bounded rate. */
export interface Limiter {
  /** Resolves when the caller may go on, in the order of the calls; rejects with the signal's reason when it aborts. */
  take(signal?: AbortSignal): Promise<void>;
}

/** Slack for sums of fractions: a token this close to whole is whole. */
const ROUNDING = 1e-6;

/** A limiter that lets `burst` calls (at least 1) through at once and `qps` (above 0) a second in the long run. */
export function tokenBucket(options: { clock: Clock; qps: number; burst: number }): Limiter {
  return new TokenBucket(options);
}

class TokenBucket implements Limiter {
  readonly #clock: Clock;
  readonly #perMs: number;
  readonly #burst: number;
  readonly #waiters = new Set<() => void>();
  #tokens: number;
  #filledAt: number;
  #timerSet = false;

  constructor({ clock, qps, burst }: { clock: Clock; qps: number; burst: number }) {
    if (!(qps > 0 && burst >= 1))
      throw new RangeError(`rate: qps must be above 0 and burst at least 1, not ${qps} and ${burst}`);
    this.#clock = clock;
    this.#perMs = qps / 1000;
    this.#burst = burst;
    this.#tokens = burst;
    this.#filledAt = clock.monotonic();
  }

  take(signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      if (this.#waiters.size === 0 && this.#spend()) return resolve();
      const go = () => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      const leave = () => {
        this.#waiters.delete(go);
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', leave, { once: true });
      this.#waiters.add(go);
      this.#setTimer();
    });
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
    for (const go of this.#waiters) {
      if (!this.#spend()) break;
      this.#waiters.delete(go);
      go();
    }
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
