import { Waiters } from './waiters.ts';

/** Word for which those wait who wait for a list. */
const SYNCED = 'synced';

/** Whether a cache shows what its resource holds, and who wants to know. */
export class Syncing {
  #listed = false;
  #outgrown: string | undefined;
  readonly #waiters = new Waiters();
  readonly #listeners = new Set<() => void>();

  /** The first list came. */
  get listed(): boolean {
    return this.#listed;
  }

  /** A list came, and since then nothing that is too large to be followed. */
  get synced(): boolean {
    return this.#listed && this.#outgrown === undefined;
  }

  /** Why it cannot be followed any more, or from the first, until it can. */
  get outgrown(): string | undefined {
    return this.#outgrown;
  }

  /** A list came. */
  list(): void {
    const isNews = !this.synced;
    this.#listed = true;
    this.#outgrown = undefined;
    this.#waiters.release(SYNCED);
    if (isNews) this.#tell();
  }

  /** There is more than is followed, in words: what was seen is old, and no more comes. */
  outgrow(why: string): void {
    const isNews = this.#outgrown !== why;
    this.#outgrown = why;
    if (isNews) this.#tell();
  }

  /** Resolves once it is synced. */
  async until(signal?: AbortSignal): Promise<void> {
    if (!this.synced) await this.#waiters.until(SYNCED, signal);
  }

  /** Calls the listener when {@link synced} or {@link outgrown} has changed. */
  onChange(listener: () => void): void {
    this.#listeners.add(listener);
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
