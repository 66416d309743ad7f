import type { Cache } from './cache.ts';

/** A watch without a word, not even a bookmark, is given up after 90 s (watch.ts); it may take a while to list. Milliseconds. */
export const SILENT_MS = 100_000;

/** What tells whether a cache follows its resource. */
export type Following = Pick<Cache<never>, 'synced' | 'fed' | 'heardAt'>;

/**
 * The cache shows what there is, and not only what there was: a list came, and the server has been heard of the resource since, as lately
 * as a watch that works is. Rights may be taken away later. One that nothing feeds is believed. @param now on the monotonic clock
 */
export const follows = ({ synced, fed, heardAt = -Infinity }: Following, now: number): boolean =>
  synced && (!fed || now - heardAt <= SILENT_MS);
