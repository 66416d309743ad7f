import type { Clock } from '../clock.ts';
import { type KubeObject, keyOf } from '../k8s/object.ts';
import type { Log } from '../observability/log.ts';
import type { Cache } from './cache.ts';

/** A server sends at once what has changed since a version; a connection that has sent nothing for so long will send nothing. */
const PROOF_MS = 10_000;

/** Least time between two lists for the sake of a watch that may only be quiet, milliseconds. */
const AGAIN_MS = 600_000;

/**
 * Finds out whether a watch tells what changes, or something between passes on the heads of its answers and holds back what
 * follows. A list that shows a change raises the suspicion; the proof is a connection from the version before that list, which has
 * to tell the change, and does not. A resource of which there is no news raises none, however often a balancer cuts its watch.
 */
export class Trial {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #resource: string;
  #from: string | undefined;
  #isDead = false;
  #openedAt: number | undefined;
  /** How long the latest connection lasted from its head on; 0 without one. */
  #lastedMs = 0;
  #listedAt = -Infinity;

  constructor({ clock, log, resource }: { clock: Clock; log: Log; resource: { plural: string } }) {
    this.#clock = clock;
    this.#log = log;
    this.#resource = resource.plural;
  }

  /** Version that the next connection has to begin from, so that it tells what a list has shown; undefined outside a trial. */
  get from(): string | undefined {
    return this.#from;
  }

  /** Whether it is time for a list, after a silence in which the server's version went on; counts it as asked for. */
  isDue(): boolean {
    const now = this.#clock.monotonic();
    // Where no watch comes about there is none to try, and the server is in trouble.
    if (this.#lastedMs < PROOF_MS || now - this.#listedAt < AGAIN_MS) return false;
    this.#listedAt = now;
    return true;
  }

  /** A list showed what was not told from this version on. */
  begin(from: string): void {
    this.#from = from;
  }

  /** All was listed anew: there is nothing that could be proved any more. */
  drop(): void {
    this.#from = undefined;
  }

  /** The head of a connection's answer came; answers whether that is news of the resource. */
  opened(): boolean {
    this.#openedAt = this.#clock.monotonic();
    return !this.#isDead;
  }

  /** Something came on a connection; answers whether that ends a trial, and belongs before what was listed. */
  told(): boolean {
    if (this.#isDead) this.#log.info('watch tells again what changes', { resource: this.#resource });
    this.#isDead = false;
    const isTried = this.#from !== undefined;
    this.#from = undefined;
    return isTried;
  }

  /** A connection has ended. */
  ended(): void {
    const now = this.#clock.monotonic();
    this.#lastedMs = now - (this.#openedAt ?? now);
    this.#openedAt = undefined;
    if (this.#from === undefined || this.#lastedMs < PROOF_MS) return;
    this.#from = undefined;
    this.#isDead = true;
    const why =
      'a list showed a change of which the watch told nothing: does a proxy hold back (buffer) what it answers?';
    this.#log.warn('watch does not tell what changes', { resource: this.#resource, why });
  }
}

/** Whether a list shows another world than a cache does. */
export function differs<T extends KubeObject>(cache: Pick<Cache<T>, 'get' | 'size'>, items: readonly T[]): boolean {
  const isOther = ({ metadata }: KubeObject, there?: KubeObject) =>
    there?.metadata.uid !== metadata.uid || there?.metadata.resourceVersion !== metadata.resourceVersion;
  return items.length !== cache.size || items.some((item) => isOther(item, cache.get(keyOf(item))));
}
