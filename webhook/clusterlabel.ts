import type { KubeObject } from '../controller/runtime/object.ts';
import { LABEL_CLUSTER } from '../schemas/keys.ts';
import { clusterOf, disagree, leftCluster } from '../schemas/rules/cluster.ts';
import type { Default } from './defaults.ts';
import { type Rule, when } from './rules.ts';
import type { Templated } from './templated.ts';

/** Where an object names its Cluster. */
export const CLUSTER_FIELD = `metadata.labels[${LABEL_CLUSTER}]`;

/** Where a template names the Cluster of its machines. */
const TEMPLATE_CLUSTER_FIELD = `spec.template.metadata.labels[${LABEL_CLUSTER}]`;

/** For every kind that belongs to a Cluster (decisions 4). */
export const clusterSetOnce: Rule<KubeObject> = {
  id: 'cluster-set-once',
  on: ['update'],
  field: CLUSTER_FIELD,
  says: 'is set once: it can neither be changed nor removed, because machines do not move between clusters; make a new object for the other cluster',
  broken: (now, before) => when(leftCluster(now.metadata.labels, before?.metadata.labels)),
};

/** For every kind with a template. */
export const templateClusterSetOnce: Rule<Templated> = {
  id: 'template-cluster-set-once',
  on: ['update'],
  field: TEMPLATE_CLUSTER_FIELD,
  says: 'is set once: it can neither be changed nor removed, because all machines of one template join the same cluster; make a new object for the other cluster',
  broken: (now, before) =>
    when(leftCluster(now.spec.template?.metadata?.labels, before?.spec.template?.metadata?.labels)),
};

/** For every kind with a template. */
export const clusterAgrees: Rule<Templated> = {
  id: 'cluster-agrees',
  on: ['create', 'update'],
  field: TEMPLATE_CLUSTER_FIELD,
  reads: [CLUSTER_FIELD, TEMPLATE_CLUSTER_FIELD],
  says: 'must be that of metadata.labels, because machines belong to the cluster of what makes them; write the same name in both, or leave it out here',
  // An object that leaves its cluster has broken a rule of its own already.
  broken: ({ metadata, spec }, before) =>
    when(
      disagree(metadata.labels, spec.template?.metadata?.labels) &&
        !leftCluster(metadata.labels, before?.metadata.labels),
    ),
};

/** Machines belong to the Cluster of what makes them. */
export const clusterToTemplate: Default<Templated> = {
  id: 'cluster-to-template',
  field: TEMPLATE_CLUSTER_FIELD,
  says: "becomes the object's own label",
  value: ({ metadata }) => clusterOf(metadata.labels),
};
