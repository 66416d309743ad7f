export { microTimestamp, timestamp } from './timestamp.ts';

/**
 * Time, injected. Nothing else in Drover reads the clock or sets a timer (hack/check.ts), so a test can own time.
 * All moments are milliseconds since the epoch, all durations milliseconds.
 */
export interface Clock {
  /** The current moment. */
  now(): number;
  /** Calls `run` once after `ms`; the returned function cancels it. */
  after(ms: number, run: () => void): () => void;
  /** Resolves after `ms`; rejects with the signal's reason as soon as the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Longest delay that setTimeout takes without overflowing to "at once". */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Shared by every clock: a sleep is a timer that a signal may cut short. */
export function sleepOn(clock: Pick<Clock, 'after'>, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const cancel = clock.after(ms, () => {
      signal?.removeEventListener('abort', abort);
      resolve();
    });
    const abort = () => {
      cancel();
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', abort, { once: true });
  });
}

/** The machine's own clock. Its timers do not keep the process alive by themselves when `unref` is asked for. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, run) {
    const timer = setTimeout(run, Math.min(Math.max(0, ms), LONGEST_TIMER_MS));
    return () => clearTimeout(timer);
  },
  sleep: (ms, signal) => sleepOn(systemClock, ms, signal),
};
