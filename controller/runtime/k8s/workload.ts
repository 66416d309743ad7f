import type { KubeObject, Resource } from './object.ts';
import { count, fields, flag, listOf, text, texts } from './shape.ts';

/** What runs on Nodes, as far as a drain reads or writes it: pods, what protects them, and their volumes. */

/** core/v1 Pod. */
export interface Pod extends KubeObject {
  metadata: KubeObject['metadata'] & { deletionGracePeriodSeconds?: number | undefined };
  spec?: {
    nodeName?: string | undefined;
    priority?: number | undefined;
    terminationGracePeriodSeconds?: number | undefined;
    volumes?: Array<{ name?: string; persistentVolumeClaim?: { claimName: string }; ephemeral?: object }> | undefined;
  };
  status?: { phase?: string | undefined };
}

/** policy/v1 Eviction: a request to delete a pod unless a disruption budget forbids it. */
export interface Eviction extends KubeObject {
  deleteOptions?: { preconditions?: { uid: string } };
}

/** policy/v1 PodDisruptionBudget. */
export interface PodDisruptionBudget extends KubeObject {
  spec?: { selector?: { matchLabels?: Record<string, string>; matchExpressions?: [] } | undefined };
  status?: {
    observedGeneration?: number | undefined;
    expectedPods?: number | undefined;
    currentHealthy?: number | undefined;
    desiredHealthy?: number | undefined;
    disruptionsAllowed?: number | undefined;
    disruptedPods?: Record<string, string>;
  };
}

/** core/v1 PersistentVolumeClaim. */
export interface PersistentVolumeClaim extends KubeObject {
  spec?: { volumeName?: string };
  status?: { phase?: string };
}

/** core/v1 PersistentVolume. */
export interface PersistentVolume extends KubeObject {
  spec?: Record<string, unknown>;
}

/** storage.k8s.io/v1 VolumeAttachment. */
export interface VolumeAttachment extends KubeObject {
  spec?: { nodeName?: string | undefined; source?: { persistentVolumeName?: string | undefined } | undefined };
  status?: { attached?: boolean | undefined };
}

/** Where the API server serves them. */
export const pods: Resource<Pod> = {
  group: '',
  version: 'v1',
  plural: 'pods',
  kind: 'Pod',
  namespaced: true,
  shape: fields({
    spec: fields({
      nodeName: text,
      priority: count,
      terminationGracePeriodSeconds: count,
      volumes: listOf(fields({ name: text, persistentVolumeClaim: fields({ claimName: text }) })),
    }),
    status: fields({ phase: text }),
  }),
};
/** Takes evictions as the subresource of the pods that they are for. */
export const evictions: Resource<Eviction> = {
  group: '',
  version: 'v1',
  plural: 'pods',
  kind: 'Pod',
  namespaced: true,
};
export const podDisruptionBudgets: Resource<PodDisruptionBudget> = {
  group: 'policy',
  version: 'v1',
  plural: 'poddisruptionbudgets',
  kind: 'PodDisruptionBudget',
  namespaced: true,
  shape: fields({
    spec: fields({
      selector: fields({
        matchLabels: texts,
        matchExpressions: listOf(fields({ key: text, operator: text, values: listOf(text) })),
      }),
    }),
    status: fields({
      observedGeneration: count,
      expectedPods: count,
      currentHealthy: count,
      desiredHealthy: count,
      disruptionsAllowed: count,
      disruptedPods: texts,
    }),
  }),
};
export const persistentVolumeClaims: Resource<PersistentVolumeClaim> = {
  group: '',
  version: 'v1',
  plural: 'persistentvolumeclaims',
  kind: 'PersistentVolumeClaim',
  namespaced: true,
  shape: fields({ spec: fields({ volumeName: text }), status: fields({ phase: text }) }),
};
export const persistentVolumes: Resource<PersistentVolume> = {
  group: '',
  version: 'v1',
  plural: 'persistentvolumes',
  kind: 'PersistentVolume',
  namespaced: false,
};
export const volumeAttachments: Resource<VolumeAttachment> = {
  group: 'storage.k8s.io',
  version: 'v1',
  plural: 'volumeattachments',
  kind: 'VolumeAttachment',
  namespaced: false,
  shape: fields({
    spec: fields({ nodeName: text, source: fields({ persistentVolumeName: text }) }),
    status: fields({ attached: flag }),
  }),
};
