import type { KubeObject, Resource } from '../../../controller/runtime/k8s/object.ts';
import {
  type PodDisruptionBudget,
  persistentVolumeClaims,
  persistentVolumes,
  podDisruptionBudgets,
} from '../../../controller/runtime/k8s/workload.ts';
import type { Herd } from './herd.ts';

/** A ReplicaSet and its PodDisruptionBudget. */
export interface Shop {
  name: string;
  pods: number;
  /** The budget, as its spec says it; none unless told. */
  budget?: { minAvailable?: number | string; maxUnavailable?: number | string };
  /** How many pods the budget wants to be ready at any time. */
  least?: number;
  /** Its pods have a volume each; then it has but one. */
  volume?: boolean;
  /** Labels of the Nodes on which alone its pods may run. */
  nodeSelector?: Record<string, string>;
  /** So many Nodes at least share its pods, as evenly as can be; as the scheduler likes unless told. */
  evenlyOver?: number;
}

const replicaSets: Resource<KubeObject & { spec: object }> = {
  group: 'apps',
  version: 'v1',
  plural: 'replicasets',
  kind: 'ReplicaSet',
  namespaced: true,
};

/** Opens it: the pods come as fast as the controllers of Kubernetes make and place them. */
export async function open(
  { api, namespace }: Herd,
  { name, pods, budget, volume, nodeSelector, evenlyOver }: Shop,
): Promise<void> {
  const labels = { app: name };
  const selector = { matchLabels: labels };
  if (budget) await api.create(podDisruptionBudgets, budgetOf({ namespace, name }, { ...budget, selector }));
  if (volume) await claim(api, namespace, name);
  const volumes = volume ? [{ name: 'data', persistentVolumeClaim: { claimName: name } }] : [];
  const spec = {
    automountServiceAccountToken: false,
    containers: [{ name: 'c', image: 'none' }],
    volumes,
    ...(nodeSelector && { nodeSelector }),
    ...(evenlyOver && { topologySpreadConstraints: [evenly(evenlyOver, selector)] }),
  };
  const template = { metadata: { labels }, spec };
  await api.create(replicaSets, { metadata: { namespace, name }, spec: { replicas: pods, selector, template } });
}

/** Pods wait until the scheduler sees all these Nodes: those it sees first would get them all otherwise. */
const evenly = (minDomains: number, labelSelector: object) => ({
  maxSkew: 1,
  minDomains,
  topologyKey: 'kubernetes.io/hostname',
  whenUnsatisfiable: 'DoNotSchedule',
  labelSelector,
});

const budgetOf = (metadata: { namespace: string; name: string }, spec: object) =>
  ({ metadata, spec }) as PodDisruptionBudget;

/** A claim that is bound, for nobody here binds any. */
async function claim(api: Herd['api'], namespace: string, name: string): Promise<void> {
  const volumeName = `${namespace}-${name}`;
  const size = { storage: '1Gi' };
  const access = { accessModes: ['ReadWriteOnce'], storageClassName: '' };
  const bound = { 'pv.kubernetes.io/bind-completed': 'yes' };
  const spec = { volumeName, ...access, resources: { requests: size } };
  const made = await api.create(persistentVolumeClaims, {
    metadata: { namespace, name, annotations: bound },
    spec,
  });
  const claimRef = { namespace, name, uid: made.metadata.uid };
  const source = { csi: { driver: 'test', volumeHandle: volumeName } };
  await api.create(persistentVolumes, {
    metadata: { name: volumeName },
    spec: { capacity: size, ...access, claimRef, ...source },
  });
  await api.patch(
    persistentVolumeClaims,
    made.metadata,
    { type: 'merge', body: { status: { phase: 'Bound', capacity: size, accessModes: access.accessModes } } },
    { subresource: 'status' },
  );
}
