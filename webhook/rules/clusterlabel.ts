import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import { LABEL_CLUSTER, LABEL_CLUSTERAPI_CLUSTER } from '../../schemas/keys.ts';
import { clusterOf, disagree, joinedCluster, leftCluster } from '../../schemas/rules/cluster.ts';
import type { Facts } from '../admission/context.ts';
import type { Default } from '../admission/defaults.ts';
import { type Rule, when } from '../admission/rule.ts';
import type { Templated } from './places.ts';

/** Where an object names its Cluster. */
export const CLUSTER_FIELD = `metadata.labels[${LABEL_CLUSTER}]`;

/** Where a template names the Cluster of its machines. */
const TEMPLATE_CLUSTER_FIELD = `spec.template.metadata.labels[${LABEL_CLUSTER}]`;

/** For every kind that belongs to a Cluster (hack/decisions/0000 4). */
export const clusterSetOnce: Rule<KubeObject> = {
  id: 'cluster-set-once',
  on: ['update'],
  field: CLUSTER_FIELD,
  always: true,
  message:
    'is set once: it can neither be changed nor removed, because machines do not move between clusters; make a new object for the other cluster',
  validate: (now, before) => when(leftCluster(now.metadata.labels, before?.metadata.labels)),
};

/** For every kind that belongs to a Cluster: what leaves is drained where it is. */
export const clusterBeforeEnd: Rule<KubeObject> = {
  id: 'cluster-before-end',
  on: ['update'],
  field: CLUSTER_FIELD,
  always: true,
  message:
    'can no longer be set: the object is being deleted, and leaves the cluster that it was in; make a new object that carries the label',
  validate: (now, before) =>
    when(Boolean(before?.metadata.deletionTimestamp) && joinedCluster(now.metadata.labels, before?.metadata.labels)),
};

const missing =
  'names no Cluster of this namespace, and cannot be corrected later; make the Cluster first, or write the name of one that `kubectl get clusters.drover.dev` shows';
const terminating =
  'names a Cluster that is being deleted, so no more machines can join it; write the name of another one, or leave the label out';

/** For every kind that belongs to a Cluster: judged when the label comes, so that nothing is stranded that carries it. */
export const clusterThere: readonly Rule<KubeObject>[] = [
  {
    id: 'cluster-there',
    on: ['create', 'update'],
    field: CLUSTER_FIELD,
    warnIfCopied: true,
    retryOnMissing: true,
    message: missing,
    validate: (now, before, { cluster }) => when(stateOf(newlyNamed(now, before), cluster) === 'missing'),
  },
  {
    id: 'cluster-stays',
    on: ['create', 'update'],
    field: CLUSTER_FIELD,
    message: terminating,
    validate: (now, before, { cluster }) => when(stateOf(newlyNamed(now, before), cluster) === 'terminating'),
  },
];

/** For every kind with a template: where it names a Cluster that the object itself does not. */
export const templateClusterThere: readonly Rule<Templated>[] = [
  {
    id: 'template-cluster-there',
    on: ['create', 'update'],
    field: TEMPLATE_CLUSTER_FIELD,
    warnIfCopied: true,
    retryOnMissing: true,
    message: missing,
    validate: (now, before, { cluster }) => when(stateOf(newInTemplate(now, before), cluster) === 'missing'),
  },
  {
    id: 'template-cluster-stays',
    on: ['create', 'update'],
    field: TEMPLATE_CLUSTER_FIELD,
    message: terminating,
    validate: (now, before, { cluster }) => when(stateOf(newInTemplate(now, before), cluster) === 'terminating'),
  },
];

const stateOf = (name: string | undefined, cluster: Facts['cluster']) =>
  name === undefined ? undefined : cluster(name);

/** The Cluster that an object names and did not name before. */
function newlyNamed({ metadata }: KubeObject, before: KubeObject | undefined): string | undefined {
  const name = clusterOf(metadata.labels);
  return name === clusterOf(before?.metadata.labels) ? undefined : name;
}

function newInTemplate({ metadata, spec }: Templated, before: Templated | undefined): string | undefined {
  const name = clusterOf(spec.template?.metadata?.labels);
  const known = [clusterOf(before?.spec.template?.metadata?.labels), clusterOf(metadata.labels)];
  return known.includes(name) ? undefined : name;
}

/** For every kind with a template. */
export const templateClusterSetOnce: Rule<Templated> = {
  id: 'template-cluster-set-once',
  on: ['update'],
  field: TEMPLATE_CLUSTER_FIELD,
  always: true,
  message:
    'is set once: it can neither be changed nor removed, because all machines of one template join the same cluster; make a new object for the other cluster',
  validate: (now, before) =>
    when(leftCluster(now.spec.template?.metadata?.labels, before?.spec.template?.metadata?.labels)),
};

/** For every kind with a template. */
export const clusterAgrees: Rule<Templated> = {
  id: 'cluster-agrees',
  on: ['create', 'update'],
  field: TEMPLATE_CLUSTER_FIELD,
  reads: [CLUSTER_FIELD, TEMPLATE_CLUSTER_FIELD],
  message:
    'must be that of metadata.labels, because machines belong to the cluster of what makes them; write the same name in both, or leave it out here',
  // An object that leaves its cluster has broken a rule of its own already.
  validate: ({ metadata, spec }, before) =>
    when(
      disagree(metadata.labels, spec.template?.metadata?.labels) &&
        !leftCluster(metadata.labels, before?.metadata.labels),
    ),
};

/**
 * For every kind with a template. The label reaches the template, and machines do not move: one that is set while there
 * are machines changes more than it seems to.
 */
export const clusterRolls: Rule<Templated> = {
  id: 'cluster-rolls',
  on: ['update'],
  field: CLUSTER_FIELD,
  level: 'warn',
  message:
    'is copied into the template: a MachineDeployment replaces all of its machines for it, and a MachineSet gives it to new machines only, beside those that it has',
  validate: (now, before) =>
    when(
      (before?.spec.replicas ?? 0) > 0 &&
        joinedCluster(now.metadata.labels, before?.metadata.labels) &&
        clusterOf(before?.spec.template?.metadata?.labels) === undefined,
    ),
};

/** For every kind that belongs to a Cluster: a cluster-autoscaler with `clusterName=…` finds what is of its Cluster by it (hack/spec/cluster-api.md E1). */
export const clusterForAutoscaler: Default<KubeObject> = {
  id: 'cluster-for-autoscaler',
  field: `metadata.labels[${LABEL_CLUSTERAPI_CLUSTER}]`,
  replaces: true,
  description: 'becomes the name of the Cluster, where the cluster-autoscaler looks for it',
  value: ({ metadata }) => clusterOf(metadata.labels),
};

/** Machines belong to the Cluster of what makes them. */
export const clusterToTemplate: Default<Templated> = {
  id: 'cluster-to-template',
  field: TEMPLATE_CLUSTER_FIELD,
  description: "becomes the object's own label",
  value: ({ metadata }) => clusterOf(metadata.labels),
};
