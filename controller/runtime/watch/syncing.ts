import type { ApiError } from '../client/errors.ts';
import { Waiters } from './waiters.ts';

/** Word for which those wait who wait for a list. */
const SYNCED = 'synced';

/** Whether a cache shows what its resource holds, and who wants to know. */
export class Syncing {
  #listed = false;
  #outgrown: string | undefined;
  #failure: ApiError | undefined;
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

  /** Why the first list has not come yet, as far as that is known. */
  get failure(): ApiError | undefined {
    return this.#failure;
  }

  /** A list came. */
  list(): void {
    const isNews = !this.synced;
    this.#listed = true;
    this.#outgrown = undefined;
    this.#failure = undefined;
    this.#waiters.release(SYNCED);
    if (isNews) this.#tell();
  }

  /** There is more than is followed, in words: what was seen is old, and no more comes. */
  outgrow(why: string): void {
    const isNews = this.#outgrown !== why;
    this.#outgrown = why;
    if (isNews) this.#tell();
  }

  /** It could not be listed; no news once a list came, for what it showed stands. */
  fail(error: ApiError): void {
    if (this.#listed) return;
    const isNews = this.#failure?.status !== error.status || this.#failure.reason !== error.reason;
    this.#failure = error;
    if (isNews) this.#tell();
  }

  /** Resolves once it is synced. */
  async until(signal?: AbortSignal): Promise<void> {
    if (!this.synced) await this.#waiters.until(SYNCED, signal);
  }

  /** Calls the listener when {@link synced}, {@link outgrown} or {@link failure} has changed. */
  onChange(listener: () => void): void {
    this.#listeners.add(listener);
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
