import type { ApiError } from '../client/errors.ts';
import type { Most } from '../client/listing.ts';
import { type KubeObject, keyOf } from '../k8s/object.ts';
import type { CacheAccount } from '../memory/cacheroom.ts';
import { weightOf } from '../memory/weight.ts';
import type { Cache } from './cache.ts';

/** How much a cache may hold: in objects, and in bytes where those are counted. */
export interface GrowthBounds {
  most: Pick<Most, 'objects'>;
  account: CacheAccount;
}

/**
 * Counts by how much a watch makes a bounded cache grow or shrink: changes that do not make it grow are no reason to list anew. When it has
 * grown too much, a new list shows whether it still is too large; that list has a limit of its own (listing.ts).
 */
export class Growth<T extends KubeObject> {
  readonly #cache: Pick<Cache<T>, 'get' | 'size'>;
  readonly #bounds: GrowthBounds | undefined;

  /** @param bounds absent for a cache that has none */
  constructor(cache: Pick<Cache<T>, 'get' | 'size'>, bounds: GrowthBounds | undefined) {
    this.#cache = cache;
    this.#bounds = bounds;
  }

  /**
   * Applies an event to the cache, and answers whether it is time to list anew. It weighs what the cache holds before and after, for the
   * cache ignores an object that comes again in the version it has, however large. Throws what `take` throws.
   */
  isTooMuch(event: WatchEvent<T>, take: () => void): boolean {
    const { account, most } = this.#bounds ?? {};
    const before = this.#held(event);
    if (event.type === 'absent') account?.drop();
    if (event.type === 'absent' || event.type === 'reset') account?.settle();
    take();
    const why = account?.grow(this.#held(event) - before);
    return event.type === 'put' && (why !== undefined || this.#cache.size > (most?.objects ?? Infinity));
  }

  /** What is held of the object that an event is about, in bytes. */
  #held(event: WatchEvent<T>): number {
    const isOfOne = event.type === 'put' || event.type === 'drop';
    return this.#bounds && isOfOne ? weightOf(this.#cache.get(keyOf(event.object))) : 0;
  }
}

/** What a watch tells of a resource. A `reset` replaces everything that was told before. */
export type WatchEvent<T extends KubeObject> =
  | { type: 'reset'; items: T[]; resourceVersion: string }
  | { type: 'put'; object: T }
  | { type: 'drop'; object: T }
  /** Nothing changed up to this version. */
  | { type: 'mark'; resourceVersion: string }
  /** There is more of it than is followed, in words: nothing more comes before the next reset. */
  | { type: 'outgrown'; why: string }
  /** It could not be listed so far. */
  | { type: 'unlisted'; error: ApiError }
  /** The server does not serve the resource; only for watches that reckon with that. */
  | { type: 'absent' };

/** Brings a cache to what an event of a watch tells. */
export function tell<T extends KubeObject>(cache: Cache<T>, event: WatchEvent<T>): void {
  if (event.type === 'reset') cache.reset(event.items, event.resourceVersion);
  else if (event.type === 'put') cache.put(event.object);
  else if (event.type === 'drop') cache.drop(event.object);
  else if (event.type === 'absent') cache.absent();
  else if (event.type === 'outgrown') cache.sync.outgrow(event.why);
  else if (event.type === 'unlisted') cache.sync.fail(event.error);
  else cache.mark(event.resourceVersion);
}
