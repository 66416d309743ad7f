import type { ApiError } from '../client/errors.ts';
import { Waiters } from './indexes.ts';

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

/** A watch without a word, not even a bookmark, is given up after 90 s (watch.ts); it may take a while to list. Milliseconds. */
export const SILENT_MS = 100_000;

/** What tells whether a cache follows its resource. */
export interface Following {
  /** A list came. */
  readonly synced: boolean;
  /** Something feeds it. */
  readonly fed: boolean;
  /** When the server was last heard of the resource, on the monotonic clock. */
  readonly heardAt: number | undefined;
}

/**
 * The cache shows what there is, and not only what there was: a list came, and the server has been heard of the resource since, as lately
 * as a watch that works is. Rights may be taken away later. One that nothing feeds is believed. @param now on the monotonic clock
 */
export const follows = ({ synced, fed, heardAt = -Infinity }: Following, now: number): boolean =>
  synced && (!fed || now - heardAt <= SILENT_MS);
