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

/** How many wait without a signal at the most. */
const MOST = 10_000;

/**
 * Promises that each wait for a key, here a `word`, to be released, which resolves them. A promise without a signal may have been abandoned
 * by its caller unnoticed: of more than 10,000 the oldest is resolved as if its key had been released.
 */
export class Waiters {
  readonly #waiting = new Map<string, Set<() => void>>();
  /** Those without a signal, longest first, and their words. */
  readonly #unbound = new Map<() => void, string>();

  /** Resolves when `word` is released; rejects with the signal's reason when that aborts first. */
  until(word: string, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const abort = () => {
      this.#forget(word, release);
      reject(signal?.reason);
    };
    const release = () => {
      signal?.removeEventListener('abort', abort);
      this.#unbound.delete(release);
      resolve();
    };
    signal?.addEventListener('abort', abort, { once: true });
    const waiting = this.#waiting.get(word) ?? new Set();
    this.#waiting.set(word, waiting.add(release));
    if (!signal) this.#bind(word, release);
    return promise;
  }

  /** Lets all go who wait for this word. */
  release(word: string): void {
    const waiting = this.#waiting.get(word);
    this.#waiting.delete(word);
    for (const go of waiting ?? []) go();
  }

  /** Lets all go who wait for a word that passes the test. */
  releaseWhere(test: (word: string) => boolean): void {
    for (const word of this.#waiting.keys()) if (test(word)) this.release(word);
  }

  /** For how many words somebody waits. */
  get size(): number {
    return this.#waiting.size;
  }

  #bind(word: string, release: () => void): void {
    this.#unbound.set(release, word);
    if (this.#unbound.size <= MOST) return;
    const [longest] = this.#unbound;
    if (!longest) return;
    this.#forget(longest[1], longest[0]);
    longest[0]();
  }

  #forget(word: string, release: () => void): void {
    const waiting = this.#waiting.get(word);
    waiting?.delete(release);
    if (waiting?.size === 0) this.#waiting.delete(word);
  }
}

/**
 * A promise that need not be awaited: a caller that does gets its failure, and if all callers have failed themselves meanwhile, it does not
 * count as an unhandled rejection, which would end the program (hack/decisions/0032).
 */
export function droppable<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}
