import type { Target } from '../model/target.ts';
import { byDeletion } from '../nodes/orphannote.ts';
import type { Api } from '../runtime/client/api.ts';
import { type Node, nodes, type Secret, secrets } from '../runtime/k8s/core.ts';
import {
  type Pod,
  type PodDisruptionBudget,
  podDisruptionBudgets,
  pods,
  type VolumeAttachment,
  volumeAttachments,
} from '../runtime/k8s/workload.ts';
import type { Log } from '../runtime/observability/log.ts';
import type { ClusterRoom } from '../runtime/room/cacheroom.ts';
import { Cache } from '../runtime/watch/cache.ts';
import { runCache, type WatchParts } from '../runtime/watch/watch.ts';
import {
  namespaceOf,
  nodeOfAttachment,
  nodeOfPod,
  slimAttachment,
  slimBudget,
  slimPod,
  volumeOfAttachment,
} from './pods.ts';
import { slimNode } from './slimnode.ts';
import { byMachine, TOKEN_NAMESPACE, tokenSelector } from './tokensecrets.ts';

/** What is known of a target cluster. */
export type TargetCaches = Pick<Target, 'nodes' | 'pods' | 'attachments' | 'budgets' | 'tokens'>;

/** Ways to find Nodes. */
export const nodeIndexes = { deletion: byDeletion };

/** Caches that are still empty. */
export const makeTargetCaches = (log: Log): TargetCaches => ({
  nodes: new Cache<Node>({ log, indexes: nodeIndexes, keep: slimNode }),
  pods: new Cache<Pod>({ log, indexes: { node: nodeOfPod }, keep: slimPod }),
  attachments: new Cache<VolumeAttachment>({
    log,
    indexes: { node: nodeOfAttachment, volume: volumeOfAttachment },
    keep: slimAttachment,
  }),
  budgets: new Cache<PodDisruptionBudget>({ log, indexes: { namespace: namespaceOf }, keep: slimBudget }),
  tokens: new Cache<Secret>({ log, indexes: { machine: byMachine } }),
});

/** Pods that have no Node yet are nobody's to drain. */
const BOUND = 'spec.nodeName!=';

/** Which tokens are read: those that this installation made, for Machines of a namespace or, if it is empty, of all. */
export interface Whose {
  incarnation: string;
  namespace: string;
}

/** How a target is followed. */
export interface TargetFeed extends Omit<WatchParts<never>, 'resource' | 'namespace' | 'account'> {
  api: Api;
  /** What is kept of the target is counted there; absent for a cluster of the operator. */
  room?: ClusterRoom | undefined;
}

/**
 * Follows the target from now on, until the signal aborts. Nobody waits for the first lists: whoever may not read tokens or
 * pods can serve all that needs none.
 */
export function feedTargetCaches(
  caches: TargetCaches,
  { incarnation, namespace }: Whose,
  { room, ...feed }: TargetFeed,
): void {
  const labelSelector = tokenSelector(incarnation, namespace);
  const account = (name: keyof TargetCaches) => room?.account(name);
  void runCache({ ...feed, resource: nodes, cache: caches.nodes, account: account('nodes') });
  void runCache({ ...feed, resource: pods, cache: caches.pods, fieldSelector: BOUND, account: account('pods') });
  void runCache({ ...feed, resource: volumeAttachments, cache: caches.attachments, account: account('attachments') });
  void runCache({ ...feed, resource: podDisruptionBudgets, cache: caches.budgets, account: account('budgets') });
  const tokens = { resource: secrets, cache: caches.tokens, account: account('tokens') };
  void runCache({ ...feed, ...tokens, namespace: TOKEN_NAMESPACE, labelSelector });
}
