import type { Api } from './api.ts';
import type { Cache } from './cache.ts';
import type { Clock } from './clock.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';
import type { KubeObject, Resource } from './object.ts';
import type { Random } from './random.ts';

/** What a watch tells of a resource. A `reset` replaces everything that was told before. */
export type WatchEvent<T extends KubeObject> =
  | { type: 'reset'; items: T[]; resourceVersion: string }
  | { type: 'put'; object: T }
  | { type: 'drop'; object: T }
  | { type: 'mark'; resourceVersion: string };

export interface WatchParts<T extends KubeObject> {
  api: Api;
  resource: Resource<T>;
  clock: Clock;
  random: Random;
  log: Log;
  metrics?: Metrics;
  /** All namespaces when absent. */
  namespace?: string;
  labelSelector?: string;
  fieldSelector?: string;
  /** A connection on which nothing came for so long is given up (90 s; a bookmark comes about every minute). */
  idleMs?: number;
  signal: AbortSignal;
}

/** Follows a resource until the signal aborts; whatever fails is tried again. */
export declare function watch<T extends KubeObject>(parts: WatchParts<T>): AsyncGenerator<WatchEvent<T>>;

/** Keeps a cache equal to a resource until the signal aborts. */
export declare function runCache<T extends KubeObject>(parts: WatchParts<T> & { cache: Cache<T> }): Promise<void>;
