import type { Most } from '../client/listing.ts';
import { type KubeObject, keyOf } from '../k8s/object.ts';
import type { CacheAccount } from '../room/cacheroom.ts';
import { weightOf } from '../room/weight.ts';
import type { Cache } from './cache.ts';
import type { WatchEvent } from './watchevent.ts';

/** How much a cache may hold: in objects, and in bytes where those are counted. */
export interface GrowthBounds {
  most: Pick<Most, 'objects'>;
  account: CacheAccount;
}

/**
 * Counts what a watch adds to a bounded cache, and takes away: what changes without growing is no reason to list anew. The list that is
 * asked for when it is too much tells whether it still is, and is bounded itself (listing.ts).
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
   * Lets the cache take an event, and answers whether it is time to list anew. It weighs what the cache holds before and after, for
   * the cache tells nobody of an object that came again in the version it has, however large. Throws what `take` throws.
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
