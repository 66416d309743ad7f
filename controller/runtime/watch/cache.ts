import { isSame } from '../../../schemas/same.ts';
import { compareVersions, type KubeObject, keyOf, versionOf, withoutManagedFields } from '../k8s/object.ts';
import type { Log } from '../observability/log.ts';
import { droppable, type IndexedBy, Indexes, Waiters } from './indexes.ts';
import { type CountingFeed, type Feed, ObjectFaults } from './objectfaults.ts';
import { follows, Syncing } from './syncing.ts';

/** What happened to one object: without `before` it is new, without `after` it is gone. */
export interface Change<T extends KubeObject> {
  key: string;
  before?: T;
  after?: T;
  /** Part of the first list. */
  initial: boolean;
}

export interface CacheOptions<T extends KubeObject> {
  /** Named ways to find objects. One for which an index throws is there all the same, and not found by that index. */
  indexes?: Record<string, IndexedBy<T>>;
  /** Freezes objects deeply, so that a test sees who changes them; costs four times the memory. */
  freeze?: boolean;
  /**
   * What is kept of an object, for who needs little of many: metadata with name, namespace, uid and version at the least.
   * Of what it kept it keeps all. An object for which it throws is kept whole: that it is there matters most.
   */
  keep?: (object: T) => T;
  /** Takes what indexes, `keep` and listeners throw; without a log it is reported as uncaught. */
  log?: Log;
}

/** The objects of a resource as last seen, without their managedFields. Readers share the objects, and must not change them. */
export class Cache<T extends KubeObject> {
  #objects = new Map<string, T>();
  #version: string | undefined;
  #served = true;
  readonly #indexes: Indexes<T>;
  readonly #freeze: boolean;
  /**
   * What is kept of an object of a list (see {@link CacheOptions.keep}): the one that is there already, if they are the same.
   * Whoever lists for the cache applies it page by page, so that neither memory nor time is taken for all of them at once.
   */
  readonly keep = (item: T): T => this.#taken(item);
  readonly #slim: (object: T) => T;
  readonly #faults: ObjectFaults;
  readonly #listeners = new Set<(change: Change<T>) => void>();
  readonly #waiters = { seen: new Waiters(), gone: new Waiters() };
  /** Whether it shows what there is, and if not, why. */
  readonly sync = new Syncing();
  #feed: Feed | undefined;

  constructor({ indexes = {}, freeze = false, keep = (object) => object, log }: CacheOptions<T> = {}) {
    this.#faults = new ObjectFaults(log);
    this.#indexes = new Indexes(indexes, (name, object, error) => this.#faults.note('index', { object, name, error }));
    this.#freeze = freeze;
    this.#slim = (object) => this.#slimmed(object, keep);
  }

  get(key: string): T | undefined {
    return this.#objects.get(key);
  }

  list(): T[] {
    return [...this.#objects.values()];
  }

  /** Objects found under a value of a named index; throws for an index that nobody declared. */
  by(index: string, value: string): T[] {
    const found: T[] = [];
    for (const key of this.#indexes.keys(index, value)) {
      const object = this.#objects.get(key);
      if (object) found.push(object);
    }
    return found;
  }

  /** How many that are, without a list of them. */
  count = (index: string, value: string): number => this.#indexes.keys(index, value).size;

  get size(): number {
    return this.#objects.size;
  }

  /** It shows what there is: a list came, and all that followed could be taken. */
  get synced(): boolean {
    return this.sync.synced;
  }

  /** Why there is more than can be kept, so that what it shows is old, in words; undefined as long as it follows. */
  get outgrown(): string | undefined {
    return this.sync.outgrown;
  }

  /** Names what feeds the cache from now on. */
  fedBy(feed: CountingFeed): void {
    this.#feed = feed;
    this.#faults.countBy((part) => feed.failed(part));
  }

  /** Something feeds the cache. */
  get fed(): boolean {
    return this.#feed !== undefined;
  }

  /** See {@link Feed.heardAt}; undefined also for a cache that nothing feeds, or that is outgrown. */
  get heardAt(): number | undefined {
    return this.outgrown === undefined ? this.#feed?.heardAt : undefined;
  }

  /** See {@link Feed.listedAt}; undefined likewise. */
  get listedAt(): number | undefined {
    return this.outgrown === undefined ? this.#feed?.listedAt : undefined;
  }

  /** See {@link Feed.wentBackAt}. */
  get wentBackAt(): number | undefined {
    return this.#feed?.wentBackAt;
  }

  /** See {@link follows}. */
  follows(now: number): boolean {
    return follows(this, now);
  }

  /** Lists anew at once, where something feeds the cache. */
  renew(): void {
    this.#feed?.renew();
  }

  /** Whether the server serves the resource: false after it has said that it does not, until a list comes. */
  get served(): boolean {
    return this.#served;
  }

  /** Resolves once it is synced. */
  whenSynced(signal?: AbortSignal): Promise<void> {
    return this.sync.until(signal);
  }

  /** Whether the cache shows this version of the resource or a later one. */
  seen(resourceVersion: string): boolean {
    return this.#version !== undefined && compareVersions(this.#version, resourceVersion) >= 0;
  }

  /**
   * Resolves once the cache has seen this version of the resource (read your own writes), and keeps no more than that; rejects with a TypeError
   * where there is none. Without a signal also if too many wait for a cache that does not follow (indexes.ts): who cannot bear that gives one.
   */
  whenSeen(object: KubeObject, signal?: AbortSignal): Promise<void> {
    return droppable(this.#whenSeen(object, signal));
  }

  /** Resolves once the cache is synced and holds no object with that key and uid. */
  async whenGone(key: string, uid: string, signal?: AbortSignal): Promise<void> {
    await this.whenSynced(signal);
    if (this.get(key)?.metadata.uid === uid) await this.#waiters.gone.until(identity(key, uid), signal);
  }

  /** Calls `listener` after each change, when the cache shows it already; the answer ends that. */
  onChange(listener: (change: Change<T>) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Puts these objects in the place of all others at once; the cache owns them from then on. */
  reset(items: readonly T[], resourceVersion: string): void {
    const initial = !this.sync.listed;
    const before = this.#objects;
    const isBack = this.#version !== undefined && compareVersions(resourceVersion, this.#version) < 0;
    this.#objects = new Map(items.map((item) => [keyOf(item), this.#taken(item)]));
    this.#indexes.clear();
    for (const [key, object] of this.#objects) this.#indexes.add(key, object);
    this.#version = resourceVersion;
    this.#served = true;
    for (const [key, old] of before) if (!this.#objects.has(key)) this.#tell({ key, before: old, initial });
    for (const [key, after] of this.#objects) {
      const old = before.get(key);
      this.#compare({ key, before: old, after, initial }, isBack || old !== after);
    }
    this.sync.list();
    this.#waiters.seen.releaseWhere((version) => this.seen(version));
  }

  /** There are no such objects, because the server does not serve the resource; as good as a list. */
  absent(): void {
    this.reset([], '0');
    this.#served = false;
  }

  /** A new or changed object, which the cache owns from then on. */
  put(object: T): void {
    const key = keyOf(object);
    const before = this.#objects.get(key);
    const after = this.#kept(object);
    this.#objects.set(key, after);
    if (before) this.#indexes.replace(key, before, after);
    else this.#indexes.add(key, after);
    this.#advance(object.metadata.resourceVersion);
    this.#compare({ key, before, after, initial: false });
  }

  /** An object that is gone, with the resourceVersion of its deletion. */
  drop(object: T): void {
    const key = keyOf(object);
    const before = this.#objects.get(key);
    this.#advance(object.metadata.resourceVersion);
    if (!before) return;
    this.#indexes.remove(key, before);
    this.#objects.delete(key);
    this.#tell({ key, before, initial: false });
  }

  /** Nothing changed up to this version. */
  mark(resourceVersion: string): void {
    this.#advance(resourceVersion);
  }

  /**
   * An object of a list, or the one that is there already if they are the same: so a list makes no garbage of what has not changed.
   * That they have one version says little: in a restored backup it may stand for another content.
   */
  #taken(item: T): T {
    const there = this.#objects.get(keyOf(item));
    if (there === item) return item;
    const kept = this.#kept(item);
    return there && !changed(there, item) && isSame(there, kept) ? there : kept;
  }

  #slimmed(object: T, keep: (object: T) => T): T {
    try {
      return keep(object);
    } catch (error) {
      this.#faults.note('keep', { object, error });
      return object;
    }
  }

  #kept(object: T): T {
    const kept = this.#slim(withoutManagedFields(object));
    return this.#freeze ? deepFrozen(kept) : kept;
  }

  #compare(
    { key, before, after, initial }: { key: string; before: T | undefined; after: T; initial: boolean },
    always = false,
  ): void {
    const replaced = before !== undefined && before.metadata.uid !== after.metadata.uid;
    if (replaced) this.#tell({ key, before, initial });
    if (!before || replaced) this.#tell({ key, after, initial });
    else if (always || changed(before, after)) this.#tell({ key, before, after, initial });
  }

  #tell(change: Change<T>): void {
    for (const listener of this.#listeners) {
      try {
        listener(change);
      } catch (error) {
        const object = change.after ?? change.before;
        if (object) this.#faults.note('listener', { object, error });
      }
    }
    const { key, before, after } = change;
    if (before?.metadata.uid && !after) this.#waiters.gone.release(identity(key, before.metadata.uid));
  }

  async #whenSeen(object: KubeObject, signal: AbortSignal | undefined): Promise<void> {
    const version = versionOf(object);
    return this.seen(version) ? undefined : this.#waiters.seen.until(version, signal);
  }

  #advance(version: string | undefined): void {
    if (version === undefined || this.seen(version)) return;
    this.#version = version;
    this.#waiters.seen.releaseWhere((waited) => this.seen(waited));
  }
}

const changed = ({ metadata: before }: KubeObject, { metadata: after }: KubeObject): boolean =>
  before.resourceVersion === undefined || before.resourceVersion !== after.resourceVersion;
const identity = (key: string, uid: string): string => `${key} ${uid}`;

function deepFrozen<V>(value: V): V {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const part of Object.values(value)) deepFrozen(part);
  return Object.freeze(value);
}
