/** Answers the values under which an object is found, always the same for one object. */
export type IndexedBy<T> = (object: T) => readonly string[];

/** Takes what an index throws for an object, which is found under none of its values then. */
export type IndexFailed<T> = (index: string, object: T, error: unknown) => void;

const NONE: ReadonlySet<string> = new Set();

/** Which keys are found under which value, for each named index. */
export class Indexes<T> {
  readonly #valuesOf: ReadonlyMap<string, IndexedBy<T>>;
  readonly #keys = new Map<string, Map<string, Set<string>>>();

  constructor(indexes: Record<string, IndexedBy<T>>, failed: IndexFailed<T>) {
    const contained = Object.entries(indexes).map(([index, valuesOf]): [string, IndexedBy<T>] => [
      index,
      containedIn(index, valuesOf, failed),
    ]);
    this.#valuesOf = new Map(contained);
    this.clear();
  }

  /** Keys found under a value, in the order in which they came; throws for an index that nobody declared. */
  keys(index: string, value: string): ReadonlySet<string> {
    const values = this.#keys.get(index);
    if (!values) throw new Error(`no index "${index}": the cache has ${[...this.#keys.keys()].join(', ') || 'none'}`);
    return values.get(value) ?? NONE;
  }

  add(key: string, object: T): void {
    for (const [values, value] of this.#places(object)) {
      const keys = values.get(value) ?? new Set();
      values.set(value, keys.add(key));
    }
  }

  /** Undoes `add` of the same object. */
  remove(key: string, object: T): void {
    for (const [values, value] of this.#places(object)) {
      const keys = values.get(value);
      keys?.delete(key);
      if (keys?.size === 0) values.delete(value);
    }
  }

  /** Puts an object in the place of another; most changes of an object change nothing of where it is found. */
  replace(key: string, before: T, after: T): void {
    if (this.#alike(before, after)) return;
    this.remove(key, before);
    this.add(key, after);
  }

  clear(): void {
    for (const index of this.#valuesOf.keys()) this.#keys.set(index, new Map());
  }

  #alike(a: T, b: T): boolean {
    for (const valuesOf of this.#valuesOf.values()) {
      const [values, others] = [valuesOf(a), valuesOf(b)];
      if (values.length !== others.length || values.some((value, at) => value !== others[at])) return false;
    }
    return true;
  }

  *#places(object: T): Generator<[Map<string, Set<string>>, string]> {
    for (const [index, valuesOf] of this.#valuesOf) {
      const values = this.#keys.get(index);
      for (const value of valuesOf(object)) if (values) yield [values, value];
    }
  }
}

function containedIn<T>(index: string, valuesOf: IndexedBy<T>, failed: IndexFailed<T>): IndexedBy<T> {
  return (object) => {
    try {
      return [...valuesOf(object)];
    } catch (error) {
      failed(index, object, error);
      return [];
    }
  };
}
