import { LABEL_CLUSTER, LABEL_NODE } from '../../schemas/keys.ts';
import type { Machine } from '../../schemas/machine.ts';
import type { SlotRequest } from '../runtime/fairness/slots.ts';
import { type KubeObject, keyOf } from '../runtime/k8s/object.ts';
import type { Target } from './target.ts';

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

/** Whose share of the workers one counts for that waits for the object's target: its Cluster's, and its namespace's (targetlanes.ts). */
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
