import type { Clock } from './clock.ts';
import type { Connection } from './connection.ts';
import type { Metrics } from './metrics.ts';
import type { KubeObject, Ref, Resource } from './object.ts';
import type { Limiter } from './rate.ts';

export type { Connection, Credentials } from './connection.ts';
export * from './errors.ts';

/** A change to an object, in one of the four forms that the API server knows. */
export type Patch =
  | { type: 'json'; body: Array<Record<string, unknown>> }
  | { type: 'merge'; body: unknown }
  | { type: 'strategic'; body: unknown }
  | { type: 'apply'; body: unknown; manager: string; force?: boolean };

export interface CallOptions {
  signal?: AbortSignal;
  /** Time for the answer, waits for a throttled server included, the wait for the own limiter not (30 s; lists 60 s a page). */
  timeoutMs?: number;
  /** For example `status` or `eviction`. */
  subresource?: string;
  dryRun?: boolean;
}

export interface ListOptions extends CallOptions {
  /** All namespaces when absent. */
  namespace?: string;
  labelSelector?: string;
  fieldSelector?: string;
  /** Objects a page (500). */
  pageSize?: number;
  resourceVersion?: string;
}

export interface DeleteOptions extends CallOptions {
  /** The object is deleted only while it has this UID. */
  uid?: string;
  /** The object is deleted only while it has this version. */
  resourceVersion?: string;
  propagation?: 'Background' | 'Foreground' | 'Orphan';
  gracePeriodSeconds?: number;
}

export interface WatchOptions {
  signal: AbortSignal;
  namespace?: string;
  labelSelector?: string;
  fieldSelector?: string;
  resourceVersion: string;
  /** After so many seconds the server ends the watch by itself. */
  timeoutSeconds: number;
}

/** An event of a watch as it comes over the wire; the type ERROR is thrown as an ApiError instead. */
export interface RawWatchEvent<T extends KubeObject = KubeObject> {
  type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';
  object: T;
}

export interface ObjectList<T extends KubeObject> {
  items: T[];
  resourceVersion: string;
}

export interface ApiParts {
  connection: Connection;
  clock: Clock;
  limiter?: Limiter;
  metrics?: Metrics;
  userAgent?: string;
}

/** Calls to one API server. Every call throws an ApiError when it fails, or the signal's reason when that aborts. */
export declare class Api {
  constructor(parts: ApiParts);
  get<T extends KubeObject>(resource: Resource<T>, ref: Ref, options?: CallOptions): Promise<T>;
  /** All pages; items carry apiVersion and kind. */
  list<T extends KubeObject>(resource: Resource<T>, options?: ListOptions): Promise<ObjectList<T>>;
  create<T extends KubeObject>(resource: Resource<T>, object: T, options?: CallOptions): Promise<T>;
  replace<T extends KubeObject>(resource: Resource<T>, object: T, options?: CallOptions): Promise<T>;
  patch<T extends KubeObject>(resource: Resource<T>, ref: Ref, patch: Patch, options?: CallOptions): Promise<T>;
  delete<T extends KubeObject>(resource: Resource<T>, ref: Ref, options?: DeleteOptions): Promise<void>;
  watch<T extends KubeObject>(resource: Resource<T>, options: WatchOptions): AsyncGenerator<RawWatchEvent<T>>;
  /** Any other path, such as /readyz; the answer is parsed when it is JSON. */
  request(method: string, path: string, options?: CallOptions & { body?: unknown }): Promise<unknown>;
}
