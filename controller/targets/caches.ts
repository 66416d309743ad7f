import { totalmem } from 'node:os';
import type { ControllerSettings } from '../../schemas/config/controller.ts';
import {
  ANNOTATION_MACHINE,
  LABEL_INCARNATION,
  LABEL_MACHINE_NAMESPACE,
  LABEL_MACHINE_UID,
} from '../../schemas/keys.ts';
import type { Target } from '../model/target.ts';
import { byDeletion } from '../nodes/owner.ts';
import type { Api } from '../runtime/client/api.ts';
import { beginning } from '../runtime/cuttext.ts';
import { type Node, nodes, type Secret, secrets } from '../runtime/k8s/core.ts';
import {
  type Pod,
  type PodDisruptionBudget,
  podDisruptionBudgets,
  pods,
  type VolumeAttachment,
  volumeAttachments,
} from '../runtime/k8s/workload.ts';
import type { ClusterRoom, RoomBounds } from '../runtime/memory/cacheroom.ts';
import type { Log } from '../runtime/observability/log.ts';
import { Cache } from '../runtime/watch/cache.ts';
import { runCache, type WatchParts } from '../runtime/watch/watch.ts';
import { attachmentIndexes, namespaceOf, podIndexes, slimAttachment, slimBudget, slimPod } from './pods.ts';

/** Ways to find Nodes: by the class whose list showed their VM without a Machine, and by that VM. */
export const nodeIndexes = {
  deletion: byDeletion,
  vm: ({ spec }: Node): string[] => (spec?.providerID ? [spec.providerID] : []),
};

/** Parts of a Node's status that nobody here reads; the images are nine tenths of a Node. */
const UNREAD: ReadonlySet<string> = new Set([
  'allocatable',
  'config',
  'daemonEndpoints',
  'declaredFeatures',
  'features',
  'images',
  'runtimeHandlers',
  'volumesInUse',
]);

/**
 * More conditions or addresses, and longer texts in characters, no Node has: kubelets and node problem detectors write some ten conditions, of a
 * line each. What there is stands in the status of its Machine as well (hack/decisions/0028 T75).
 */
const MOST = { entries: 100, text: 1_024 };

/** Texts that a condition, an address and a Node's `nodeInfo` have; what else stands in them is not kept (core/v1 NodeStatus). */
const TEXTS = {
  condition: ['type', 'status', 'reason', 'message', 'lastHeartbeatTime', 'lastTransitionTime'],
  address: ['type', 'address'],
  nodeInfo: [
    'machineID',
    'systemUUID',
    'bootID',
    'kernelVersion',
    'osImage',
    'containerRuntimeVersion',
    'kubeletVersion',
    'kubeProxyVersion',
    'operatingSystem',
    'architecture',
  ],
} as const;

/** Parts of it that are bounded. */
const BOUNDED: Readonly<Record<string, (value: unknown) => unknown>> = {
  conditions: (value) => entriesOf(value, TEXTS.condition),
  addresses: (value) => entriesOf(value, TEXTS.address),
  nodeInfo: (value) => textsOf(value, TEXTS.nodeInfo),
};

/**
 * A Node without what nobody here reads. It is for looking only: what is written to a Node is a patch, never the whole of
 * it (caches.slimnode.test.ts).
 */
export function slimNode(node: Node): Node {
  if (!node.status) return node;
  const read = Object.entries(node.status).filter(([part]) => !UNREAD.has(part));
  const status = Object.fromEntries(read.map(([part, value]) => [part, BOUNDED[part]?.(value) ?? value]));
  return { ...node, status };
}

const entriesOf = (value: unknown, names: readonly string[]): object[] =>
  Array.isArray(value) ? value.slice(0, MOST.entries).map((entry) => textsOf(entry, names)) : [];

/** The texts of these names, none of them longer than any that a Node has. */
function textsOf(entry: unknown, names: readonly string[]): Record<string, string> {
  const found = (entry ?? {}) as Readonly<Record<string, unknown>>;
  const kept: Record<string, string> = {};
  for (const name of names) {
    const text = found[name];
    if (typeof text === 'string') kept[name] = beginning(text, MOST.text);
  }
  return kept;
}

/** Where an API server looks for bootstrap tokens. */
export const TOKEN_NAMESPACE = 'kube-system';

/** Tokens by the UID of their Machine. */
export const byMachine = (token: Secret): string[] => [machineOf(token).uid];

/** The Machine that a token is for: its key among the Machines, and its UID. */
export const machineOf = ({ metadata }: Secret): { key: string; uid: string } => ({
  key: metadata.annotations?.[ANNOTATION_MACHINE] ?? '',
  uid: metadata.labels?.[LABEL_MACHINE_UID] ?? '',
});

/** Which Secrets are tokens of this installation, for Machines of a namespace or, if it is empty, of all. */
export const tokenSelector = (incarnation: string, namespace: string): string =>
  [`${LABEL_INCARNATION}=${incarnation}`, namespace && `${LABEL_MACHINE_NAMESPACE}=${namespace}`]
    .filter(Boolean)
    .join(',');

/** What is known of a target cluster. */
export type TargetCaches = Pick<Target, 'nodes' | 'pods' | 'attachments' | 'budgets' | 'tokens'>;

/** Caches that are still empty. */
export const makeTargetCaches = (log: Log): TargetCaches => ({
  nodes: new Cache<Node>({ log, indexes: nodeIndexes, keep: slimNode }),
  pods: new Cache<Pod>({ log, indexes: podIndexes, keep: slimPod }),
  attachments: new Cache<VolumeAttachment>({
    log,
    indexes: attachmentIndexes,
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

const MIB = 1 << 20;

/**
 * The part of the process's memory that caches of Clusters have unless a setting says otherwise (hack/decisions/0034). Beside them come a
 * second copy of what a list under way replaces, what was read and is not collected yet, and all that is no Cluster's.
 */
const PART = 5 / 16;

/** And the part that answers and lines of their servers have that are not whole yet: what is parsed takes several times as much. */
const UNDERWAY = 1 / 8;

/** Names the memory that the process may use, in bytes; the chart sets it to the limit of the container. */
const LIMIT = 'BUN_JSC_forceRAMSize';

/** How much memory the process may use, in bytes: what its environment, its control group and the machine allow. */
export const memoryOf = ({ env, constrainedMemory }: Pick<NodeJS.Process, 'env' | 'constrainedMemory'>): number =>
  Math.min(Number(env[LIMIT]) || Infinity, constrainedMemory() || Infinity, totalmem());

/** What the caches of Clusters may hold. @param memory that the process may use, in bytes */
export function cacheBounds(
  settings: Pick<ControllerSettings, 'clusterCacheMib' | 'allClustersCacheMib' | 'namespace'>,
  memory: number,
): RoomBounds {
  const { clusterCacheMib, allClustersCacheMib, namespace } = settings;
  const all = allClustersCacheMib > 0 ? allClustersCacheMib * MIB : Math.floor(memory * PART);
  return { all, each: clusterCacheMib * MIB, shared: namespace === '' };
}

/** What answers of the servers of Clusters may hold that are under way. @param memory that the process may use, in bytes */
export function answerBounds({ namespace }: Pick<ControllerSettings, 'namespace'>, memory: number): RoomBounds {
  const all = Math.floor(memory * UNDERWAY);
  return { all, each: all, shared: namespace === '' };
}
