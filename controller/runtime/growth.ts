import type { Cache } from './cache.ts';
import type { Most } from './listing.ts';
import { type KubeObject, keyOf } from './object.ts';
import type { WatchEvent } from './watch.ts';
import { weightOf } from './weight.ts';

/**
 * What a watch adds to a cache that is bounded. What it takes away is not counted: the list that is asked for when it looks like
 * too much tells whether it is, and is bounded itself (listing.ts).
 */
export class Growth<T extends KubeObject> {
  readonly #cache: Pick<Cache<T>, 'get' | 'size'>;
  readonly #most: Most | undefined;
  #bytes = 0;

  constructor(cache: Pick<Cache<T>, 'get' | 'size'>, most: Most | undefined) {
    this.#cache = cache;
    this.#most = most;
  }

  /** Counts an event that the cache has taken, and answers whether it is time to list anew. */
  isTooMuch(event: WatchEvent<T>): boolean {
    if (event.type === 'reset') this.#bytes = 0;
    if (!this.#most || event.type !== 'put') return false;
    this.#bytes += weightOf(this.#cache.get(keyOf(event.object)));
    return this.#bytes > this.#most.bytes || this.#cache.size > this.#most.objects;
  }
}
