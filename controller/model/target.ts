import type { Api } from '../runtime/client/api.ts';
import type { Reach } from '../runtime/health/probe.ts';
import type { Node, Secret } from '../runtime/k8s/core.ts';
import type { KubeObject } from '../runtime/k8s/object.ts';
import type { Pod, PodDisruptionBudget, VolumeAttachment } from '../runtime/k8s/workload.ts';
import type { ClusterRoom } from '../runtime/room/cacheroom.ts';
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
  /** With the index `deletion` (key of a class, orphanrecord.ts). */
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

/** Where the nodes of an object's machines join (decisions 4). `cluster` is a name; empty for the default target. */
export type TargetFact =
  /** No label and no default target, which is legal (MCM 0.2). */
  | { at: 'none' }
  /** The label names a Cluster that is not there. */
  | { at: 'missing'; cluster: string }
  /**
   * It has not been read yet, or cannot be: nobody knows what is there; it was to be opened at `since` (milliseconds). From
   * `missingFrom` on it counts as missing, whatever happens until then.
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
