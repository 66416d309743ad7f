import type { Log } from './log.ts';
import type { KubeObject } from './object.ts';

/** One object's change: without `before` it is new, without `after` it is gone. */
export interface Change<T extends KubeObject> {
  key: string;
  before?: T;
  after?: T;
  /** Part of the first list. */
  initial: boolean;
}

export interface CacheOptions<T extends KubeObject> {
  /** Named ways to find objects: each answers the values under which an object is found. */
  indexes?: Record<string, (object: T) => readonly string[]>;
  /** Freezes objects deeply, so that a test sees who changes them; costs half as much memory again. */
  freeze?: boolean;
  /** Takes what listeners throw. */
  log?: Log;
}

/** The objects of a resource as last seen. Nothing in it may be changed by those who read it. */
export declare class Cache<T extends KubeObject> {
  constructor(options?: CacheOptions<T>);
  get(key: string): T | undefined;
  list(): T[];
  by(index: string, value: string): T[];
  get size(): number;
  /** The first list is in. */
  get synced(): boolean;
  whenSynced(signal?: AbortSignal): Promise<void>;
  /** The cache shows this version of the resource or a later one. */
  seen(resourceVersion: string): boolean;
  /** Resolves once the cache has seen this version of the resource (read your own writes). */
  whenSeen(object: KubeObject, signal?: AbortSignal): Promise<void>;
  /** Resolves once no object with that key and uid is cached. */
  whenGone(key: string, uid: string, signal?: AbortSignal): Promise<void>;
  onChange(listener: (change: Change<T>) => void): () => void;
  /** Puts these objects in the place of all others. */
  reset(items: readonly T[], resourceVersion: string): void;
  put(object: T): void;
  drop(object: T): void;
  /** The cache is as of this version, although nothing changed. */
  mark(resourceVersion: string): void;
}
