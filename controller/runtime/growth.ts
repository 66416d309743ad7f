import type { Cache } from './cache.ts';
import type { Most } from './listing.ts';
import { type KubeObject, keyOf } from './object.ts';
import type { WatchEvent } from './watchevent.ts';
import { weightOf } from './weight.ts';

/**
 * What a watch has added to a bounded cache since the latest list, less what it has taken away: what changes without growing is no
 * reason to list anew. The list that is asked for when it looks like too much tells whether it is, and is bounded itself (listing.ts).
 */
export class Growth<T extends KubeObject> {
  readonly #cache: Pick<Cache<T>, 'get' | 'size'>;
  readonly #most: Most | undefined;
  #bytes = 0;

  constructor(cache: Pick<Cache<T>, 'get' | 'size'>, most: Most | undefined) {
    this.#cache = cache;
    this.#most = most;
  }

  /**
   * Lets the cache take an event, and answers whether it is time to list anew. It weighs what the cache holds before and after, for
   * the cache tells nobody of an object that came again in the version it has, however large. Throws what `take` throws.
   */
  isTooMuch(event: WatchEvent<T>, take: () => void): boolean {
    const before = this.#held(event);
    take();
    if (event.type === 'reset') this.#bytes = 0;
    else this.#bytes += this.#held(event) - before;
    if (!this.#most || event.type !== 'put') return false;
    return this.#bytes > this.#most.bytes || this.#cache.size > this.#most.objects;
  }

  /** What is held of the object that an event is about, in bytes. */
  #held(event: WatchEvent<T>): number {
    const isOfOne = event.type === 'put' || event.type === 'drop';
    return this.#most && isOfOne ? weightOf(this.#cache.get(keyOf(event.object))) : 0;
  }
}
