import type { Cluster } from '../../schemas/cluster.ts';
import { ANNOTATION_PAUSED, ANNOTATION_PAUSED_ADMIN, ANNOTATION_PAUSED_DEVOPS } from '../../schemas/keys.ts';
import { type Outcome, pass, type ReasonTable, wait } from '../flow/flow.ts';
import type { Clock } from '../runtime/clock.ts';
import type { KubeObject } from '../runtime/k8s/object.ts';
import type { Cache } from '../runtime/watch/cache.ts';
import type { Lookup } from './class.ts';
import { clusterKeyOf, clusterOf, type TargetFact, type Targets } from './target.ts';

/** How the target cluster of an object stands, for decisions (hack/decisions/0000 4). */
export interface ClusterFact {
  /** See `TargetFact`. */
  at: 'none' | 'missing' | 'opening' | 'open';
  /** Name of the Cluster; empty for the default target. */
  name: string;
  /** Why it is not open yet, and since when it is being opened (milliseconds since the epoch). */
  why?: string;
  since?: number;
  /** When it will count as missing by time alone (milliseconds since the epoch). */
  missingFrom?: number;
  /** `spec.paused` of the Cluster. */
  paused: boolean;
  /** Clusters could be read once, and no longer: whether it has been paused since nobody knows. */
  unread?: true;
}

/** Where facts about target clusters are read. */
export interface ClusterSources {
  targets: Targets;
  clusters: Lookup<Cluster> & Partial<Pick<Cache<Cluster>, 'synced' | 'follows'>>;
  clock: Clock;
}

/** Reasons of what waits for its target cluster. */
export const placingReasons = {
  ClusterPaused: {
    help: 'The Cluster is paused by `spec.paused`: nothing is done for what names it, its deletion included.',
    event: 'Normal',
    stays: true,
  },
  ClusterNotFound: {
    help: 'The Cluster that the label `cluster.k8s.io/cluster-name` names does not exist; made, it is used at once.',
    event: 'Warning',
  },
  ClusterUnreachable: {
    help: 'The target cluster could not be read yet, or Clusters can be read no longer, so that nobody knows whether it is paused: nothing is made, judged or taken away before they are.',
    event: 'Warning',
  },
} as const satisfies ReasonTable;

/** How the target cluster of a Machine, MachineSet or MachineDeployment stands. */
export function clusterFact({ targets, clusters, clock }: ClusterSources, object: KubeObject): ClusterFact {
  const fact = targets.of(object);
  const paused = clusters.get(clusterKeyOf(object))?.spec?.paused ?? false;
  const opening = fact.at === 'opening' ? openingFact(fact) : {};
  const name = clusterOf(object);
  const isUnread = name !== '' && clusters.synced === true && clusters.follows?.(clock.monotonic()) === false;
  return { at: fact.at, name, paused, ...(isUnread && { unread: true }), ...opening };
}

const openingFact = ({ why, since, missingFrom }: Extract<TargetFact, { at: 'opening' }>) => ({
  why,
  since,
  ...(missingFrom !== undefined && { missingFrom }),
});

/** Neither the object is paused nor its Cluster. */
export function unpausedIn(
  object: KubeObject,
  { paused, name }: ClusterFact,
): Outcome<never, 'Paused' | 'ClusterPaused'> {
  const own = unpaused(object);
  if (own.kind !== 'pass' || !paused) return own;
  return wait('ClusterPaused', Infinity, `Cluster "${name}" is paused`);
}

/** There is no target cluster, or it can be read. */
export function clusterReachable(fact: ClusterFact): Outcome<never, 'ClusterNotFound' | 'ClusterUnreachable'> {
  if (fact.unread) return unheard(fact);
  if (fact.at === 'missing') return wait('ClusterNotFound', Infinity, `Cluster "${fact.name}" does not exist`);
  return fact.at === 'opening' ? unread(fact) : pass;
}

/**
 * The deletion of an object needs no Cluster: it waits only for one that exists and cannot be read yet. When that wait ends, only the clock
 * says.
 */
export const clusterReachableOrGone = (fact: ClusterFact, now: number): Outcome<never, 'ClusterUnreachable'> =>
  fact.unread ? unheard(fact) : fact.at === 'opening' ? unread(fact, (fact.missingFrom ?? Infinity) - now) : pass;

const unread = ({ name, why }: ClusterFact, ms = Infinity): Outcome<never, 'ClusterUnreachable'> =>
  wait('ClusterUnreachable', ms, `${name ? `Cluster "${name}"` : 'the default target'} cannot be read: ${why}`);

/** How soon it is looked whether Clusters can be read again, milliseconds. */
const LOOK_MS = 10_000;

const unheard = ({ name }: ClusterFact): Outcome<never, 'ClusterUnreachable'> =>
  wait('ClusterUnreachable', LOOK_MS, `Clusters can be read no longer: whether "${name}" is paused nobody knows`);

/** Who paused an object, in VM Operator's words: `devops` are its authors, `admin` those who run Drover. */
export type Pauser = 'devops' | 'admin' | 'both';

/** Annotations that pause an object, whatever their value. */
const DEVOPS = [ANNOTATION_PAUSED, ANNOTATION_PAUSED_DEVOPS];
const PAUSES = [...DEVOPS, ANNOTATION_PAUSED_ADMIN];

/** Nothing is done for an object that is paused, its deletion included; its status is still told (Cluster API's rule). */
export function unpaused(object: KubeObject): Outcome<never, 'Paused'> {
  const keys = PAUSES.filter((key) => carries(object, key));
  if (keys.length === 0) return pass;
  const by = `the annotation ${keys.join(' and ')}`;
  return wait('Paused', Infinity, `${by} holds it: nothing is done for it, its deletion included`);
}

/** The object carries an annotation that pauses it. */
export const isPaused = (object: KubeObject): boolean => PAUSES.some((key) => carries(object, key));

/** Who paused it, in the words of the label; undefined when it is not paused. @param cluster its Cluster is paused, which counts as devops */
export function pauserOf(object: KubeObject, cluster: boolean): Pauser | undefined {
  const devops = cluster || DEVOPS.some((key) => carries(object, key));
  if (!carries(object, ANNOTATION_PAUSED_ADMIN)) return devops ? 'devops' : undefined;
  return devops ? 'both' : 'admin';
}

const carries = ({ metadata }: KubeObject, key: string): boolean => metadata.annotations?.[key] !== undefined;
