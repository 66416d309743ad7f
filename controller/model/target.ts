import { LABEL_CLUSTER, LABEL_NODE } from '../../schemas/keys.ts';
import type { Machine } from '../../schemas/machine.ts';
import type { Api } from '../runtime/client/api.ts';
import type { SlotRequest } from '../runtime/fairness/slots.ts';
import type { Reach } from '../runtime/health/probe.ts';
import type { Node, Secret } from '../runtime/k8s/core.ts';
import { type KubeObject, keyOf } from '../runtime/k8s/object.ts';
import type { Pod, PodDisruptionBudget, VolumeAttachment } from '../runtime/k8s/workload.ts';
import type { ClusterRoom } from '../runtime/memory/cacheroom.ts';
import type { Cache } from '../runtime/watch/cache.ts';

/** What Leases tell of the Nodes of a cluster (heartbeats.ts). */
export interface LeaseWatch {
  isSilent(node: Node): boolean;
  /** Moments are those of our own monotonic clock; undefined for a Node of which no Lease tells. */
  heard(node: Node): Heard | undefined;
}

/** A cluster that nodes join: where to write, and what is there. */
export interface Target {
  /** The Cluster that describes it; absent for the default target. */
  cluster?: { namespace: string; name: string };
  api: Api;
  /** Where what is kept of it is counted; absent for one of the operator. */
  room?: Pick<ClusterRoom, 'account'>;
  /** Whether its API server answers, and its watches deliver. */
  reach: Pick<Reach, 'fact' | 'onChange' | 'settled' | 'failure'>;
  /** With the index `deletion` (key of a class, safety/orphans/flow/nodeplan.ts). */
  nodes: Cache<Node>;
  /** Nodes that no longer renew their Leases; undefined when Leases are not looked at. */
  heartbeats: LeaseWatch | undefined;
  /** With the index `node`; only what drains read of them. */
  pods: Cache<Pod>;
  /** With the indexes `node` and `volume` (name of the PersistentVolume). */
  attachments: Cache<VolumeAttachment>;
  /** With the index `namespace`; where they cannot be watched they are empty, and drains are slower. */
  budgets: Cache<PodDisruptionBudget>;
  /** Bootstrap tokens that this installation made, with the index `machine` (UID). */
  tokens: Cache<Secret>;
}

/** Where the nodes of an object's machines join (hack/decisions/0000 4). `cluster` is a name; empty for the default target. */
export type TargetFact =
  /** No label and no default target, which is legal (hack/spec/mcm.md 0.2). */
  | { at: 'none' }
  /** The label names a Cluster that is not there. */
  | { at: 'missing'; cluster: string }
  /**
   * It has not been read yet, or cannot be: what is there is unknown; it was to be opened at `since` (milliseconds). From `missingFrom` on
   * it counts as missing, whatever happens until then.
   */
  | { at: 'opening'; cluster: string; why: string; since: number; missingFrom?: number }
  | { at: 'open'; target: Target };

/** Finds the target clusters of Machines, MachineSets and MachineDeployments, by their label. */
export interface Targets {
  of(object: KubeObject): TargetFact;
  /** Those that are open. */
  all(): Iterable<Target>;
}

/** The object's target cluster, when it is there to be read and written; what can wait otherwise waits. */
export function openTargetOf(targets: Pick<Targets, 'of'>, object: KubeObject): Target | undefined {
  const fact = targets.of(object);
  return fact.at === 'open' ? fact.target : undefined;
}

/** What Leases say of a Node that has one; `livedAt` is a moment after which it was renewed, absent while no renewal was seen. */
export interface Heard {
  livedAt?: number;
}

/** What makes machines has a template of them. */
interface Templating {
  spec?: { template?: { metadata?: { labels?: Record<string, string> | null } | null } | null } | null;
}

/**
 * The name of the Cluster that an object's machines join; empty for the default target. Of a set or deployment the label
 * of its template counts, which its machines get, then its own.
 */
export function clusterOf(object: KubeObject): string {
  const { template } = (object as KubeObject & Templating).spec ?? {};
  return template?.metadata?.labels?.[LABEL_CLUSTER] || object.metadata.labels?.[LABEL_CLUSTER] || '';
}

/** The key of that Cluster, namespace/name; empty for the default target. */
export function clusterKeyOf(object: KubeObject): string {
  const name = clusterOf(object);
  return name && `${object.metadata.namespace}/${name}`;
}

/** Whose share of the workers one counts for that waits for the object's target: its Cluster's, and its namespace's (targets/pool.ts). */
export const laneOf = (object: KubeObject): SlotRequest => ({
  key: keyOf(object),
  groups: [clusterKeyOf(object), object.metadata.namespace ?? ''],
});

/** The key of a target's Cluster; empty for the default target. */
export const clusterKeyIn = ({ cluster }: Pick<Target, 'cluster'>): string =>
  cluster ? `${cluster.namespace}/${cluster.name}` : '';

/** A Node among those of all targets: two clusters may have Nodes of one name. */
export const nodeKeyIn = (target: Pick<Target, 'cluster'>, nodeName: string): string =>
  `${clusterKeyIn(target)} ${nodeName}`;

/** The Node of a Machine in these words, as an index: none before it is known. */
export function nodeKeysOf(machine: Machine): string[] {
  const name = machine.metadata.labels?.[LABEL_NODE];
  return name ? [`${clusterKeyOf(machine)} ${name}`] : [];
}

/** Whether a policy in the cluster keeps the controller from Nodes that are not its own. */
export type GuardFact = { at: 'there' } | { at: 'missing'; why: string } | { at: 'unknown'; why: string };

/** A kind of a cluster of which there is more than is kept, and why, in words. */
export interface Outgrown {
  what: string;
  why: string;
}

/** Room for one more target: there is some, none for anybody, or none that this namespace may take. */
export type Room = 'free' | 'full' | 'shared';
