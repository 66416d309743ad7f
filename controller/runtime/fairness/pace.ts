import type { Clock } from '../clock.ts';

/** Milliseconds of the event loop that one server's lines may take: a second, and all at once. */
const SHARE = { perSecond: 100, burst: 1_000 };

/** Longest time that counts for one line, and longest rest, milliseconds: a process that stood still meanwhile owes nobody minutes. */
const MOST = { spent: 500, rest: 10_000 };

/**
 * Slows down a server whose watches take more of the event loop than their share. What a line costs depends on what is in it, as long as a
 * line may be: lists within lists take thirty times as much to parse as one long text (hack/decisions/0028 T92).
 */
export class Pace {
  readonly #clock: Pick<Clock, 'monotonic'>;
  #owed = 0;
  #at: number;

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
    this.#at = clock.monotonic();
  }

  /** A line took so many milliseconds; answers how many to wait before the next one is read. */
  spent(ms: number): number {
    const now = this.#clock.monotonic();
    const paid = ((now - this.#at) * SHARE.perSecond) / 1_000;
    this.#at = now;
    this.#owed = Math.max(0, this.#owed - paid) + Math.min(ms, MOST.spent);
    const over = Math.max(0, this.#owed - SHARE.burst);
    return Math.min(MOST.rest, (over * 1_000) / SHARE.perSecond);
  }
}
