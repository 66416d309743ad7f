import { POD_DRAIN_LABELS } from '../../schemas/keys.ts';
import { MOST_NAME } from '../runtime/k8s/object.ts';
import type { Pod, PodDisruptionBudget, VolumeAttachment } from '../runtime/k8s/workload.ts';
import type { Cache } from '../runtime/watch/cache.ts';

type Volumes = NonNullable<NonNullable<Pod['spec']>['volumes']>;

const MIRROR = 'kubernetes.io/config.mirror';

/** The reference of a pod of a DaemonSet, for all of them: which one it is nobody asks. */
const BY_DAEMON_SET = [{ apiVersion: 'apps/v1', kind: 'DaemonSet', name: '', uid: '', controller: true }];

/** The fields of a pod that a drain reads: a cluster has many pods, and they are large. */
export function slimPod({ metadata, spec, status }: Pod): Pod {
  const { name, namespace, uid, resourceVersion, deletionTimestamp, deletionGracePeriodSeconds } = metadata;
  const volumes = slimVolumes(spec?.volumes);
  const labels = drainLabelsOf({ metadata });
  return {
    metadata: {
      name,
      namespace,
      uid,
      resourceVersion,
      ...(deletionTimestamp && { deletionTimestamp, deletionGracePeriodSeconds }),
      ...(Object.keys(labels).length > 0 && { labels }),
      ...(isOfDaemonSet(metadata) && { ownerReferences: BY_DAEMON_SET }),
      ...(isMirror(metadata) && { annotations: { [MIRROR]: '' } }),
    },
    spec: {
      nodeName: spec?.nodeName,
      ...(spec?.priority && { priority: spec.priority }),
      terminationGracePeriodSeconds: spec?.terminationGracePeriodSeconds,
      ...(volumes.length > 0 && { volumes }),
    },
    ...(status?.phase && { status: { phase: status.phase } }),
  };
}

const slimVolumes = (volumes: Volumes = []): Volumes =>
  volumes.flatMap(({ name, persistentVolumeClaim, ephemeral }): Volumes => {
    const { claimName } = persistentVolumeClaim ?? {};
    if (claimName !== undefined) return isName(claimName) ? [{ persistentVolumeClaim: { claimName } }] : [];
    return ephemeral && name !== undefined && isName(name) ? [{ name, ephemeral: {} }] : [];
  });

/** What names an object is longer on no API server: a longer text names none (hack/decisions/0028 T73). */
const isName = (text: string): boolean => text.length <= MOST_NAME;

/** The fields of a VolumeAttachment that a drain reads. */
export function slimAttachment({ metadata, spec, status }: VolumeAttachment): VolumeAttachment {
  const { name, uid, resourceVersion, deletionTimestamp } = metadata;
  const { nodeName, source: { persistentVolumeName = '' } = {} } = spec ?? {};
  return {
    metadata: { name, uid, resourceVersion, ...(deletionTimestamp && { deletionTimestamp }) },
    spec: { nodeName, source: isName(persistentVolumeName) ? { persistentVolumeName } : {} },
    status: { attached: status?.attached },
  };
}

/** Whether a drain makes the pod leave: all but mirror pods and those of a DaemonSet (hack/spec/mcm.md 7.1). */
export const isDrained = ({ metadata }: Pod): boolean => !isMirror(metadata) && !isOfDaemonSet(metadata);

const isMirror = ({ annotations }: Pod['metadata']): boolean => annotations?.[MIRROR] !== undefined;

const isOfDaemonSet = ({ ownerReferences }: Pod['metadata']): boolean =>
  ownerReferences?.some(({ controller, kind }) => controller && kind === 'DaemonSet') ?? false;

/** The labels of a pod that say by themselves what a drain does with it; of all others nothing is kept. */
export const drainLabelsOf = ({ metadata: { labels = {} } }: Pick<Pod, 'metadata'>): Record<string, string> =>
  Object.fromEntries(POD_DRAIN_LABELS.flatMap((key) => (labels[key] === undefined ? [] : [[key, labels[key]]])));

/** It has ended by itself, well or not (core/v1 PodPhase). */
export const isCompleted = ({ status }: Pod): boolean => status?.phase === 'Succeeded' || status?.phase === 'Failed';

/** Of a Node with more pods those that have ended are left alone: they stay for a while, thousands of evicted ones at times. */
const CROWD = 1_000;

/** Nothing is done about pods of the Node that have ended. */
export const isCrowded = (pods: Pick<Cache<Pod>, 'count'>, nodeName: string): boolean =>
  pods.count('node', nodeName) > CROWD;

/** Selects all others, of what a server lists. */
export const NOT_ENDED = 'status.phase!=Succeeded,status.phase!=Failed';

/** Claims of a pod's volumes; ephemeral volumes are none (hack/spec/mcm.md 7.1). */
export const claimsOf = ({ spec }: Pod): string[] =>
  spec?.volumes?.flatMap(({ persistentVolumeClaim: claim }) => (claim ? [claim.claimName] : [])) ?? [];

/** All claims that the pod's volumes stand for, ephemeral ones included (KEP-1698), as namespace/name. */
export const volumeClaimsOf = ({ metadata: { namespace, name: pod }, spec }: Pod): string[] =>
  (spec?.volumes ?? []).flatMap(({ name, persistentVolumeClaim: claim, ephemeral }) => {
    if (claim) return [`${namespace}/${claim.claimName}`];
    return ephemeral ? [`${namespace}/${pod}-${name}`] : [];
  });

const nodeOf = ({ spec }: Pod | VolumeAttachment): string[] => (spec?.nodeName ? [spec.nodeName] : []);

/** Ways to find pods: by the Node that they are on, and those of them that have not ended. */
export const podIndexes = { node: nodeOf, running: (pod: Pod): string[] => (isCompleted(pod) ? [] : nodeOf(pod)) };

/** The PersistentVolume of a VolumeAttachment. */
export const volumeOfAttachment = ({ spec }: VolumeAttachment): string[] =>
  spec?.source?.persistentVolumeName ? [spec.source.persistentVolumeName] : [];

/** Whether the volume has arrived. */
export const isAttached = ({ status }: VolumeAttachment): boolean => status?.attached === true;

/**
 * Ways to find VolumeAttachments: by their Node, and those that have come there by their volume, of which nobody lists all: any number of Nodes
 * may have it (hack/decisions/0028 T71).
 */
export const attachmentIndexes = {
  node: nodeOf,
  attached: (one: VolumeAttachment): string[] => (isAttached(one) ? volumeOfAttachment(one) : []),
};

/** Under which namespace a budget is found. */
export const namespaceOf = ({ metadata: { namespace } }: PodDisruptionBudget): string[] =>
  namespace ? [namespace] : [];

/** The fields of a PodDisruptionBudget that a drain reads. */
export function slimBudget({ metadata, spec, status }: PodDisruptionBudget): PodDisruptionBudget {
  const { name, namespace, uid, resourceVersion, generation } = metadata;
  const { observedGeneration, expectedPods, currentHealthy, desiredHealthy, disruptionsAllowed, disruptedPods } =
    status ?? {};
  const [disrupted] = Object.keys(disruptedPods ?? {});
  return {
    metadata: { name, namespace, uid, resourceVersion, generation },
    spec: { selector: spec?.selector },
    status: {
      observedGeneration,
      expectedPods,
      currentHealthy,
      desiredHealthy,
      disruptionsAllowed,
      ...(disrupted !== undefined && { disruptedPods: { [disrupted]: '' } }),
    },
  };
}
