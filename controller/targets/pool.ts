import type { Cluster } from '../../schemas/cluster.ts';
import type { DriverTargets } from '../drivers/sdk/targets.ts';
import type { Environment } from '../framework/environment.ts';
import { clusterKeyOf, clusterOf, type Room, type Target, type TargetFact, type Targets } from '../model/target.ts';
import { type Clock, wallOf } from '../runtime/clock.ts';
import { halfOfTheRest } from '../runtime/fairness/bounds.ts';
import type { Sharing } from '../runtime/fairness/sharing.ts';
import { Slots } from '../runtime/fairness/slots.ts';
import { GIVEN_UP_MS } from '../runtime/health/probestate.ts';
import { type KubeObject, refOf } from '../runtime/k8s/object.ts';
import type { Cache } from '../runtime/watch/cache.ts';
import type { TargetCluster } from './cluster.ts';

/** A target, the key of its Cluster, and when it ends. */
export interface Opened extends Omit<Target, 'cluster'> {
  cluster: string;
  target: Target;
  signal: AbortSignal;
  /** See {@link TargetCluster.whenKnown}. */
  whenKnown(): Promise<void>;
  /** See {@link TargetCluster.onGuard}. */
  onGuard(listener: () => void): void;
}

const LONG_AGO = Number.NEGATIVE_INFINITY;

/** The target clusters of one term of leadership: the default one, if there is one, and those of Clusters. */
export class TargetPool implements Targets, DriverTargets {
  readonly #clusters: Cache<Cluster>;
  readonly #clock: Clock;
  /** On the monotonic clock. */
  readonly #begunAt: number;
  /** When a Cluster that was not opened yet was first asked for, by its key; on the monotonic clock. */
  readonly #askedAt = new Map<string, number>();
  /** By the key of their Cluster; empty for the default target. */
  readonly #opened = new Map<string, TargetCluster>();
  /** Why there is no way to a Cluster, by its key. */
  readonly #errors = new Map<string, string>();
  readonly #listeners = new Set<(opened: Opened) => void>();

  constructor({ clusters, clock }: { clusters: Cache<Cluster>; clock: Clock }) {
    this.#clusters = clusters;
    this.#clock = clock;
    this.#begunAt = clock.monotonic();
  }

  /** How the default target is reached; undefined when there is none. */
  get home(): Target['api'] | undefined {
    return this.#opened.get('')?.target.api;
  }

  of(object: KubeObject): TargetFact {
    const cluster = clusterOf(object);
    const key = clusterKeyOf(object);
    const opened = this.#opened.get(key);
    if (!opened && cluster === '') return { at: 'none' };
    const since = opened?.since ?? this.#sinceOf(key);
    if (cluster !== '' && this.#isGone(key, since)) return { at: 'missing', cluster };
    if (opened?.known && !this.#isUnlisted(key)) return { at: 'open', target: opened.target };
    const missingFrom = opened || !this.#isLeaving(key) ? {} : { missingFrom: this.#wall(since + GIVEN_UP_MS) };
    return { at: 'opening', cluster, why: this.#whyOpening(key), since: this.#wall(since), ...missingFrom };
  }

  /** The target of an object, read or not; undefined when there is none, or no way to it. */
  followed(object: KubeObject): Target | undefined {
    return this.#opened.get(clusterKeyOf(object))?.target;
  }

  /** The target of a Cluster, by its key, read or not. */
  at(cluster: string): TargetCluster | undefined {
    return this.#opened.get(cluster);
  }

  /** How many targets there are. */
  get count(): number {
    return this.#opened.size;
  }

  /** How many of them are of Clusters of this namespace. */
  countIn(namespace: string): number {
    let count = 0;
    for (const cluster of this.#opened.keys()) if (cluster !== '' && refOf(cluster).namespace === namespace) count++;
    return count;
  }

  /** Every target by the key of its Cluster, read or not. */
  *entries(): Iterable<[cluster: string, target: Target]> {
    for (const [cluster, { target }] of this.#opened) yield [cluster, target];
  }

  *all(): Iterable<Target> {
    for (const { known, target } of this.#opened.values()) if (known) yield target;
  }

  /** Takes a target in; whoever follows is told. */
  add(cluster: string, opened: TargetCluster): void {
    this.#errors.delete(cluster);
    this.#askedAt.delete(cluster);
    this.#opened.set(cluster, opened);
    for (const listener of this.#listeners) listener(openedOf(cluster, opened));
  }

  /** Ends a target: its Cluster is gone for sure. */
  remove(cluster: string): void {
    this.#opened.get(cluster)?.close();
    this.#opened.delete(cluster);
    this.#askedAt.delete(cluster);
    this.#errors.delete(cluster);
  }

  /** There is no way to the Cluster of this key, for a reason in words; answers whether that is news. */
  setError(cluster: string, why: string): boolean {
    const isNews = this.#errors.get(cluster) !== why;
    this.#errors.set(cluster, why);
    return isNews;
  }

  /** Calls `told` with each target that is there, read or not, and with each that comes, until the signal aborts. */
  follow(listener: (opened: Opened) => void, signal: AbortSignal): void {
    for (const [cluster, opened] of this.#opened) listener(openedOf(cluster, opened));
    this.#listeners.add(listener);
    signal.addEventListener('abort', () => this.#listeners.delete(listener), { once: true });
  }

  /** It is not shown any more, and nobody has made sure yet that it is gone (`remove`): its Nodes may be drained later. */
  #isUnlisted(key: string): boolean {
    return key !== '' && !this.#clusters.get(key) && (this.#opened.has(key) || this.#errors.has(key));
  }

  #whyOpening(key: string): string {
    if (this.#isUnlisted(key)) return 'it is not listed any more, and whether it is gone is being found out';
    if (!this.#clusters.synced) return 'the list of Clusters has not come yet';
    const { outgrown, unlisted } = this.#opened.get(key) ?? {};
    if (outgrown) return `there are too many ${outgrown.what} to be followed (${outgrown.why})`;
    if (unlisted)
      return `it answers, but its Nodes cannot be listed (${unlisted.status || unlisted.code || ''} ${unlisted.reason})`;
    return this.#errors.get(key) ?? 'its first lists have not come yet';
  }

  /** The Cluster does not exist, or it is being deleted and no probe was answered for long: then it holds up nobody. */
  #isGone(key: string, since: number): boolean {
    const found = this.#clusters.get(key);
    if (!found) return this.#clusters.synced && !this.#isUnlisted(key);
    if (!this.#isLeaving(key)) return false;
    const opened = this.#opened.get(key);
    // Not by the fact for gates, which takes a clock that was set, or a process that stood still, for an outage.
    return opened ? opened.isGivenUp : this.#clock.monotonic() - since >= GIVEN_UP_MS;
  }

  #isLeaving(key: string): boolean {
    return this.#clusters.get(key)?.metadata.deletionTimestamp !== undefined;
  }

  /** For people, and for gates; 0 for long ago. */
  #wall(since: number): number {
    return since === LONG_AGO ? 0 : wallOf(this.#clock, since);
  }

  /** Since when a Cluster is waited for, on the monotonic clock; one that cannot be opened has been for long enough. */
  #sinceOf(key: string): number {
    if (this.#errors.has(key)) return LONG_AGO;
    if (!this.#clusters.get(key)) return this.#begunAt;
    const askedAt = this.#askedAt.get(key) ?? this.#clock.monotonic();
    this.#askedAt.set(key, askedAt);
    return askedAt;
  }
}

const openedOf = (cluster: string, opened: TargetCluster): Opened => ({
  ...opened.target,
  cluster,
  target: opened.target,
  signal: opened.signal,
  whenKnown: () => opened.whenKnown(),
  onGuard: (listener) => opened.onGuard(listener),
});

/** Requests that Bun has open at once when its environment says nothing; each further one waits without a word. */
const DEFAULT_LIMIT = 256;
/** Watches of the control cluster and of drivers, and as many calls as may come beside. */
const CONTROL = 40;
/** Watches of one target cluster. */
const TARGET = 5;
/** Probes of one target cluster. */
const PROBES = 1;
/** Calls to one target cluster that are open at once, watches and probes not counted. */
const CALLS = { least: 2, most: 32 };
/** What one target cluster may hold at the least, when all of its calls hang. */
const LEAST = TARGET + PROBES + CALLS.least;

/**
 * How many target clusters the process can follow, also when all of them hang: connections of their own, as leases and probes
 * have, are no places of their own. @param limit value of BUN_CONFIG_MAX_HTTP_REQUESTS, if it is set
 */
export const mostTargets = (limit: string | undefined): number =>
  Math.floor(((Number(limit) || DEFAULT_LIMIT) - CONTROL) / LEAST);

/** What somebody has to do before there are more targets than that; undefined while there is room. */
export function requestsComplaint(targets: number, limit: string | undefined): string | undefined {
  if (targets <= mostTargets(limit)) return undefined;
  const needed = 2 ** Math.ceil(Math.log2(CONTROL + LEAST * targets));
  return `${targets} target clusters need more open requests than the process may have: set BUN_CONFIG_MAX_HTTP_REQUESTS=${needed} in its environment`;
}

/** How many calls to each of so many target clusters may be open at once, so that one that hangs takes no other's place. */
export function callsPerTarget(targets: number, limit: string | undefined): number {
  const share = Math.floor(((Number(limit) || DEFAULT_LIMIT) - CONTROL) / Math.max(1, targets));
  return Math.min(CALLS.most, Math.max(CALLS.least, share - TARGET - PROBES));
}

/** How many targets the process follows already. */
export interface Followed {
  /** Of the namespace that asks for one more. */
  own: number;
  /** Of others, the default target among them. */
  others: number;
}

/**
 * Whether one more target may be opened. Where the controller looks after all namespaces, each has at most half of the room that
 * the others leave (hack/decisions/0045). @param limit value of BUN_CONFIG_MAX_HTTP_REQUESTS, if it is set
 */
export function roomFor(
  { own, others }: Followed,
  { limit, namespace }: { limit: string | undefined; namespace: string },
): Room {
  const most = mostTargets(limit);
  if (own + others >= most) return 'full';
  return namespace === '' && own >= halfOfTheRest(most, others) ? 'shared' : 'free';
}

/** What lanes depend on. */
interface LanesOptions extends Pick<Environment, 'clock' | 'settings'> {
  /** How many targets are followed. */
  targets: { readonly count: number };
}

/**
 * Bounds how many workers of one loop wait for target clusters at a time, whose answers may take as long as they like: an eighth for each
 * target, and for all targets of a namespace half of what other namespaces do not use (hack/decisions/0045). With one target, or one
 * namespace, nothing is reserved for others. Asked for by `laneOf` of model/target.ts.
 */
export function targetLanes(
  { clock, settings, targets }: LanesOptions,
  enqueued: { enqueue: (key: string) => void; sharing: Sharing },
): Slots {
  const all = settings.concurrentSyncs;
  const isShared = () => targets.count > 1;
  const ofTarget = () => (isShared() ? Math.max(2, Math.ceil(all / 8)) : all);
  const isOfMany = () => isShared() && settings.namespace === '';
  const ofNamespace = (others: number) => (isOfMany() ? halfOfTheRest(all, others) : Infinity);
  return new Slots({ clock, bounds: [{ most: ofTarget }, { most: ofNamespace }], ...enqueued });
}
