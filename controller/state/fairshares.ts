import { clusterOf } from '../model/target.ts';
import type { Flow } from '../runtime/fairness/sharing.ts';
import { controllerOf, type KubeObject, refOf } from '../runtime/k8s/object.ts';
import { bands } from '../runtime/queue/queue.ts';
import type { Caches } from './caches.ts';

/**
 * Priorities that rank alike between namespaces (hack/decisions/0042): all urgent ones, so that no namespace waits with its
 * deletions for the creations of another. Within a namespace they go in their order.
 */
export const levelOf = (priority: number): number => Math.min(priority, bands.urgent);

/** On whose behalf a key is looked at of which nothing but the key is known. */
export const flowOfKey = (key: string): Flow => [refOf(key).namespace ?? ''];

/** On whose behalf Machines, sets and deployments are looked at: their namespace, their Cluster, and who owns them all. */
export function flowsOf({ machines, sets, deployments }: Pick<Caches, 'machines' | 'sets' | 'deployments'>) {
  /** A set goes with its deployment; a Machine or a set of nobody's goes by itself. */
  const ownerOf = (object: KubeObject): string => {
    const owner = controllerOf(object);
    if (!owner) return object.metadata.uid ?? '';
    const set = sets.get(`${object.metadata.namespace}/${owner.name}`);
    return (set?.metadata.uid === owner.uid && set && controllerOf(set)?.uid) || owner.uid;
  };
  const flowOf =
    (cache: { get(key: string): KubeObject | undefined }) =>
    (key: string): Flow => {
      const object = cache.get(key);
      return object ? [object.metadata.namespace ?? '', clusterOf(object), ownerOf(object)] : flowOfKey(key);
    };
  return { machine: flowOf(machines), set: flowOf(sets), deployment: flowOf(deployments) };
}
