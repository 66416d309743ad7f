export interface Patience {
  timeoutMs: number;
  /** Pause between two looks; 50 ms unless said. */
  everyMs?: number;
  /** Pauses grow by a tenth each up to this, for looks that take time from what is waited for; all are the same unless said. */
  upToMs?: number;
  signal?: AbortSignal | undefined;
}

/**
 * Looks again and again until `look` gives a value, and returns it. What `look` throws counts as "not yet" and becomes
 * the cause of the error that ends the wait; an aborted signal ends it with the signal's reason.
 */
export async function until<T>(what: string, look: () => T | Promise<T>, patience: Patience): Promise<NonNullable<T>> {
  const { timeoutMs, everyMs = 50, upToMs = everyMs, signal } = patience;
  const end = performance.now() + timeoutMs;
  let pauseMs = everyMs;
  let cause: unknown;
  do {
    signal?.throwIfAborted();
    try {
      const value = await look();
      if (value) return value;
      cause = undefined;
    } catch (error) {
      if (error instanceof Hopeless) throw error;
      cause = error;
    }
    await Bun.sleep(pauseMs);
    pauseMs = Math.min(1.1 * pauseMs, upToMs);
  } while (performance.now() < end);
  throw new Error(`waited ${timeoutMs / 1000} s for ${what}`, { cause });
}

/** Thrown by a look that knows that waiting longer is of no use: it ends the wait at once. */
export class Hopeless extends Error {}
