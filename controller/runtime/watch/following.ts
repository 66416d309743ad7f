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
