import { type KubeObject, keyOf } from '../k8s/object.ts';
import type { Log } from '../observability/log.ts';

/** What of a cache can fail at one object: to find it, to slim it, to tell of it. */
export type FaultPart = 'index' | 'keep' | 'listener';

/** How many faults are remembered as logged; the oldest is logged again. */
const MOST = 1_024;

/**
 * Catches what is thrown for one object, so that other objects are not affected: each fault is counted, and logged once for a version of
 * the object. Without a log it is reported as uncaught.
 */
export class ObjectFaults {
  readonly #log: Log | undefined;
  /** By what failed at which object, the version that was told. */
  readonly #told = new Map<string, string>();
  #count: (part: FaultPart) => void = () => {};

  constructor(log: Log | undefined) {
    this.#log = log;
  }

  /** Calls `count` for each fault from now on. */
  countBy(count: (part: FaultPart) => void): void {
    this.#count = count;
  }

  /** @param name which index, or empty */
  note(part: FaultPart, { object, name = '', error }: { object: KubeObject; name?: string; error: unknown }): void {
    this.#count(part);
    const { uid = '', resourceVersion = '' } = object.metadata;
    const [what, version] = [`${part} ${name} ${keyOf(object)}`, `${uid} ${resourceVersion}`];
    if (this.#told.get(what) === version) return;
    this.#told.delete(what);
    this.#told.set(what, version);
    const [oldest = ''] = this.#told.keys();
    if (this.#told.size > MOST) this.#told.delete(oldest);
    if (this.#log) this.#log.error(SAYS[part], { key: keyOf(object), ...(name && { index: name }), error });
    else reportError(error);
  }
}

const SAYS: Readonly<Record<FaultPart, string>> = {
  index: 'an object cannot be indexed, and is not found by that index',
  keep: 'an object cannot be slimmed, and is kept whole',
  listener: 'cache listener failed',
};

/** What keeps a cache equal to its resource. Moments are those of the monotonic clock. */
export interface Feed {
  /** When anything was last heard, if only that nothing happened; undefined before the first list. */
  readonly heardAt: number | undefined;
  /** When the latest list that came was asked for. */
  readonly listedAt: number | undefined;
  /** When it was last found that the store went back, as after a restored backup; undefined for never. */
  readonly wentBackAt?: number | undefined;
  /** Lists anew at once. */
  renew(): void;
}

/** What keeps a cache equal to its resource, and counts what that fails at. */
export interface CountingFeed extends Feed {
  /** Something was thrown for one object, and contained. */
  failed(part: FaultPart): void;
}
