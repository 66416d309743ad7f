import type { KubeObject } from '../../controller/runtime/k8s/object.ts';

/** One write: objects are never changed, but replaced. */
export interface Write {
  version: number;
  /** `group/plural` */
  resource: string;
  key: string;
  /** Absent when the object is new. */
  before?: KubeObject;
  /** Absent when the object is gone. */
  after?: KubeObject;
  /** The object as its watchers see it: what is gone carries the version of its deletion. */
  told: KubeObject;
}

/** A store at a moment. */
export interface Backup {
  objects: ReadonlyMap<string, ReadonlyMap<string, KubeObject>>;
  version: number;
}

/** Objects by resource and key, one counter of versions for all of them, and the history of writes (etcd). */
export class Store {
  readonly #objects = new Map<string, Map<string, KubeObject>>();
  readonly #listeners = new Set<(write: Write) => void>();
  #history: Write[] = [];
  #version = 0;
  /** Versions up to this one are forgotten. */
  #forgotten = 0;

  /** Of the latest write. */
  get version(): number {
    return this.#version;
  }

  get(resource: string, key: string): KubeObject | undefined {
    return this.#objects.get(resource)?.get(key);
  }

  /** Every object of a resource, in the order of their keys. */
  list(resource: string): KubeObject[] {
    const found = [...(this.#objects.get(resource) ?? [])];
    return found.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object);
  }

  /** Puts an object in its place and gives it the next version. */
  put(resource: string, key: string, object: KubeObject): KubeObject {
    const before = this.get(resource, key);
    const after = this.#versioned(object);
    const all = this.#objects.get(resource) ?? new Map<string, KubeObject>();
    this.#objects.set(resource, all.set(key, after));
    this.#tell({ version: this.#version, resource, key, ...(before && { before }), after, told: after });
    return after;
  }

  /** Takes an object away, in the state in which it is told to be gone; answers it with the version of its deletion. */
  drop(resource: string, key: string, object: KubeObject): KubeObject {
    const before = this.get(resource, key);
    const told = this.#versioned(object);
    this.#objects.get(resource)?.delete(key);
    this.#tell({ version: this.#version, resource, key, ...(before && { before }), told });
    return told;
  }

  /** Writes after a version, oldest first; undefined when they are forgotten. */
  since(version: number): Write[] | undefined {
    return version < this.#forgotten ? undefined : this.#history.filter((write) => write.version > version);
  }

  /** Forgets all history, as a compaction does. */
  forget(): void {
    this.#forgotten = this.#version;
    this.#history = [];
  }

  /** What a backup of the whole store holds (etcdctl snapshot save). */
  backup(): Backup {
    const objects = new Map([...this.#objects].map(([resource, all]) => [resource, new Map(all)]));
    return { objects, version: this.#version };
  }

  /** Everything is as it was, versions among it; what came since was never (etcdctl snapshot restore). Those who watched are told nothing. */
  restore({ objects, version }: Backup): void {
    this.#objects.clear();
    for (const [resource, all] of objects) this.#objects.set(resource, new Map(all));
    this.#version = version;
    this.forget();
  }

  /** Calls `listener` with each write; the answer ends that. */
  onWrite(listener: (write: Write) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #versioned(object: KubeObject): KubeObject {
    this.#version += 1;
    return { ...object, metadata: { ...object.metadata, resourceVersion: String(this.#version) } };
  }

  #tell(write: Write): void {
    this.#history.push(write);
    for (const listener of this.#listeners) listener(write);
  }
}
