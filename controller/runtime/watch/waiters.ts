/** How many wait without a signal at the most. */
const MOST = 10_000;

/**
 * Promises that wait, each for a word; whoever knows that it has come true releases those who wait for it. Those without a
 * signal may have been given up by whoever asked, without a word of that: of more than 10,000 the one that has waited for
 * longest is let go as if its word had come true.
 */
export class Waiters {
  readonly #waiting = new Map<string, Set<() => void>>();
  /** Those without a signal, longest first, and their words. */
  readonly #unbound = new Map<() => void, string>();

  /** Resolves when `word` is released; rejects with the signal's reason when that aborts first. */
  until(word: string, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const abort = () => {
      this.#forget(word, release);
      reject(signal?.reason);
    };
    const release = () => {
      signal?.removeEventListener('abort', abort);
      this.#unbound.delete(release);
      resolve();
    };
    signal?.addEventListener('abort', abort, { once: true });
    const waiting = this.#waiting.get(word) ?? new Set();
    this.#waiting.set(word, waiting.add(release));
    if (!signal) this.#bind(word, release);
    return promise;
  }

  /** Lets all go who wait for this word. */
  release(word: string): void {
    const waiting = this.#waiting.get(word);
    this.#waiting.delete(word);
    for (const go of waiting ?? []) go();
  }

  /** Lets all go who wait for a word that passes the test. */
  releaseWhere(test: (word: string) => boolean): void {
    for (const word of this.#waiting.keys()) if (test(word)) this.release(word);
  }

  /** For how many words somebody waits. */
  get size(): number {
    return this.#waiting.size;
  }

  #bind(word: string, release: () => void): void {
    this.#unbound.set(release, word);
    if (this.#unbound.size <= MOST) return;
    const [longest] = this.#unbound;
    if (!longest) return;
    this.#forget(longest[1], longest[0]);
    longest[0]();
  }

  #forget(word: string, release: () => void): void {
    const waiting = this.#waiting.get(word);
    waiting?.delete(release);
    if (waiting?.size === 0) this.#waiting.delete(word);
  }
}
