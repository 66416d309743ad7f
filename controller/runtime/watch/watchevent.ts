import type { ApiError } from '../client/errors.ts';
import type { KubeObject } from '../k8s/object.ts';
import type { Cache } from './cache.ts';

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
