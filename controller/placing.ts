import type { Cluster } from '../schemas/cluster.ts';
import type { Lookup } from './classrefs.ts';
import { clusterKeyOf, clusterOf } from './clusterrefs.ts';
import { type Outcome, pass, wait } from './flow.ts';
import { unpaused } from './pausing.ts';
import type { ReasonTable } from './reasons.ts';
import type { KubeObject } from './runtime/object.ts';
import type { TargetFact, Targets } from './targets.ts';

/** How the target cluster of an object stands, for decisions (decisions 4). */
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
}

/** Where facts about target clusters are read. */
export interface ClusterSources {
  targets: Targets;
  clusters: Lookup<Cluster>;
}

/** Reasons of what waits for its target cluster. */
export const placingReasons = {
  ClusterPaused: {
    says: 'The Cluster is paused by `spec.paused`: nothing is done for what names it, its deletion included.',
    event: 'Normal',
  },
  ClusterMissing: {
    says: 'The Cluster that the label `cluster.k8s.io/cluster-name` names does not exist; made, it is used at once.',
    event: 'Warning',
  },
  ClusterUnreachable: {
    says: 'The target cluster could not be read yet: nothing is made, judged or taken away before it is.',
    event: 'Warning',
  },
} as const satisfies ReasonTable;

/** How the target cluster of a Machine, MachineSet or MachineDeployment stands. */
export function clusterFact({ targets, clusters }: ClusterSources, object: KubeObject): ClusterFact {
  const fact = targets.of(object);
  const paused = clusters.get(clusterKeyOf(object))?.spec?.paused ?? false;
  const opening = fact.at === 'opening' ? openingFact(fact) : {};
  return { at: fact.at, name: clusterOf(object), paused, ...opening };
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
export function placed(fact: ClusterFact): Outcome<never, 'ClusterMissing' | 'ClusterUnreachable'> {
  if (fact.at === 'missing') return wait('ClusterMissing', Infinity, `Cluster "${fact.name}" does not exist`);
  return fact.at === 'opening' ? unread(fact) : pass;
}

/**
 * What leaves needs no Cluster: only one that is there, and cannot be read yet, is waited for. That it will not be waited for
 * any longer is told by the clock alone.
 */
export const placedOrGone = (fact: ClusterFact, now: number): Outcome<never, 'ClusterUnreachable'> =>
  fact.at === 'opening' ? unread(fact, (fact.missingFrom ?? Infinity) - now) : pass;

const unread = ({ name, why }: ClusterFact, ms = Infinity): Outcome<never, 'ClusterUnreachable'> =>
  wait('ClusterUnreachable', ms, `${name ? `Cluster "${name}"` : 'the default target'} cannot be read: ${why}`);
