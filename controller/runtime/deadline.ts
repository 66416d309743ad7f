import type { Clock } from './clock.ts';

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
