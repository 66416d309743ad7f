export { microTimestamp, timestamp } from './k8s/timestamp.ts';

/**
 * Time, injected. Nothing else in Drover reads a clock or sets a timer (hack/check.ts), so a test can own time.
 *
 * There are two clocks. What is written, or compared with what others wrote, is wall time: milliseconds since the epoch,
 * which an administrator, chrony or a hypervisor may set forward or back at any moment. How long something lasted, or when
 * it is due in this process, is told by the monotonic clock alone. All durations are milliseconds.
 */
export interface Clock {
  /** The moment on the wall clock, for timestamps; no two of them tell how much time has passed. */
  now(): number;
  /** Whole milliseconds since some moment, the same for the life of the process. Never set, goes with the timers. */
  monotonic(): number;
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

/**
 * The moment that the wall clock shows for one of the monotonic clock: what happens in this process can so be compared with
 * timestamps, and moves along with the wall clock when that is set.
 */
export const wallOf = (clock: Pick<Clock, 'now' | 'monotonic'>, moment: number): number =>
  clock.now() - (clock.monotonic() - moment);

/** The machine's own clock. A timer keeps the process alive until it has run or was cancelled. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => Math.floor(performance.now()),
  after(ms, run) {
    const timer = setTimeout(run, Math.min(Math.max(0, ms), LONGEST_TIMER_MS));
    return () => clearTimeout(timer);
  },
  sleep: (ms, signal) => sleepOn(systemClock, ms, signal),
};
