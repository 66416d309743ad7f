/**
 * Time, injected. Nothing else in Drover reads a clock or sets a timer (hack/check/determinism.ts), so a test can own time.
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

/** A signal that aborts with its parent, or as soon as `ms` have passed since it was made or last moved on. */
export class Deadline {
  readonly signal: AbortSignal;
  readonly #clock: Clock;
  readonly #ms: number;
  readonly #controller = new AbortController();
  readonly #release: () => void;
  #at: number;
  #cancelTimer: () => void = () => {};

  /** @param options.reason what the signal aborts with when the time has passed */
  constructor({
    clock,
    ms,
    parent,
    reason,
  }: { clock: Clock; ms: number; parent?: AbortSignal; reason: () => unknown }) {
    this.#clock = clock;
    this.#ms = ms;
    this.#at = clock.monotonic() + ms;
    this.signal = this.#controller.signal;
    const follow = () => this.#abort(parent?.reason);
    parent?.addEventListener('abort', follow, { once: true });
    this.#release = () => parent?.removeEventListener('abort', follow);
    if (parent?.aborted) follow();
    else this.#arm(reason);
  }

  /** The moment when it passes, on the monotonic clock. */
  get at(): number {
    return this.#at;
  }

  /** Starts the time anew. Cheap: the timer is left to find out. */
  moveOn(): void {
    this.#at = this.#clock.monotonic() + this.#ms;
  }

  /** Lets go of timer and parent; the signal aborts no more. */
  end(): void {
    this.#cancelTimer();
    this.#release();
  }

  #arm(reason: () => unknown): void {
    this.#cancelTimer = this.#clock.after(this.#at - this.#clock.monotonic(), () => {
      if (this.#clock.monotonic() < this.#at) this.#arm(reason);
      else this.#abort(reason());
    });
  }

  #abort(reason: unknown): void {
    this.end();
    this.#controller.abort(reason);
  }
}

/** What the promise becomes, unless the signal aborts first: then it is left alone, and the signal's reason is thrown. */
export async function unlessAborted<V>(promise: Promise<V>, signal: AbortSignal): Promise<V> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** What is done with a deadline. */
interface Timed {
  clock: Clock;
  /** Milliseconds. */
  ms: number;
  /** Ends it sooner. */
  parent: AbortSignal;
  /** The message of the TimeoutError that it is told to give up with. */
  late: string;
}

/** What comes of the work if it ends in time. Else it is told to give up and left alone, and the signal's reason is thrown. */
export async function inTime<V>({ late, ...timed }: Timed, run: (signal: AbortSignal) => Promise<V>): Promise<V> {
  const deadline = new Deadline({ ...timed, reason: () => new DOMException(late, 'TimeoutError') });
  try {
    return await unlessAborted(run(deadline.signal), deadline.signal);
  } finally {
    deadline.end();
  }
}
