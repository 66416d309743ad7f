import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import { LABEL_CLUSTER } from '../../schemas/keys.ts';
import { apiVersion } from '../../schemas/kinds.ts';
import { reviewOf } from '../admission/review.ts';
import { CLASS, CLUSTER } from './lists.ts';
import sample from './testdata/machine.json';

/** What webhooks are asked about: a Machine of 8 KB and a MachineDeployment, as large clusters have them. */

/** A review, and which endpoint it goes to. */
export interface Subject {
  kind: 'Machine' | 'MachineDeployment';
  endpoint: 'validate' | 'mutate';
  /** The review as JSON. */
  body: string;
}

const LABELS = { [LABEL_CLUSTER]: CLUSTER, herd: 'bench', team: 'blue' };
const LIMITS = { maxSurge: 1, maxUnavailable: 0 };

type Subjected = KubeObject & { spec: object };

/** So many keys of one owner with values of some length. */
const entries = (count: number, owner: string, value: string): Record<string, string> =>
  Object.fromEntries(
    Array.from({ length: count }, (_, at) => [`${owner}.example.io/property-${at}`, `${value}-${at}`]),
  );

const taints = [
  { key: 'team.example.io/dedicated', value: 'blue', effect: 'NoSchedule' },
  { key: 'hardware.example.io/gpu', value: 'present', effect: 'NoExecute' },
  { key: 'node.gardener.cloud/critical-components-not-ready', effect: 'NoSchedule' },
];

const nodeTemplate = {
  metadata: {
    labels: { ...entries(30, 'worker', 'a-value-of-usual-length'), 'kubernetes.io/arch': 'amd64' },
    annotations: entries(20, 'node', 'annotations tend to hold a little more text than a label may'),
  },
  spec: { taints },
};

const machineSpec = { class: CLASS, nodeTemplate, drainTimeout: '2h', creationTimeout: '20m', maxEvictRetries: 10 };

const { ownerReferences: _maker, ...ownMetadata } = sample.metadata;

/** Not made by a set, so that all rules and defaults are for it. */
const machine: Subjected = {
  ...sample,
  metadata: { ...ownMetadata, labels: { ...ownMetadata.labels, ...LABELS } },
  spec: { ...sample.spec, ...machineSpec },
};

/** The same with a label, a taint and a time-out that rules look at. */
const machineLater: Subjected = {
  ...machine,
  spec: { ...sample.spec, ...machineSpec, ...later(nodeTemplate), drainTimeout: '10m' },
};

const deploymentOf = (strategy: object, template: object, labels: Record<string, string>): Subjected => ({
  apiVersion,
  kind: 'MachineDeployment',
  metadata: {
    ...ownMetadata,
    name: 'herd',
    labels: LABELS,
    annotations: {
      'cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size': '1',
      'cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size': '50',
    },
  },
  spec: {
    replicas: 3,
    minReadySeconds: 30,
    progressDeadlineSeconds: 600,
    selector: { matchLabels: { herd: 'bench' }, matchExpressions: [{ key: 'team', operator: 'In', values: ['blue'] }] },
    strategy: { type: 'RollingUpdate', ...strategy },
    template: { metadata: { labels }, spec: template },
  },
});

const deployment = deploymentOf({ rollingUpdate: LIMITS }, machineSpec, LABELS);
const deploymentLater = deploymentOf({ rollingUpdate: LIMITS }, { ...machineSpec, ...later(nodeTemplate) }, LABELS);
/** Without its strategy's block and its template's cluster, which are filled in. */
const deploymentShort = deploymentOf({}, machineSpec, { herd: 'bench', team: 'blue' });

function later({ metadata, spec }: typeof nodeTemplate) {
  const labels = { ...metadata.labels, 'worker.example.io/pool': 'second' };
  const more = { key: 'team.example.io/night', value: 'true', effect: 'PreferNoSchedule' };
  return { nodeTemplate: { metadata: { ...metadata, labels }, spec: { taints: [...spec.taints, more] } } };
}

/** Every question by its name. */
export const subjects: Readonly<Record<string, Subject>> = {
  machine_validate_create: asked('validate', { now: machine }),
  machine_validate_update: asked('validate', { now: machineLater, before: machine }),
  machine_mutate_create: asked('mutate', { now: machine }),
  deployment_validate_create: asked('validate', { now: deployment }),
  deployment_validate_update: asked('validate', { now: deploymentLater, before: deployment }),
  deployment_mutate_create: asked('mutate', { now: deploymentShort }),
};

function asked(endpoint: Subject['endpoint'], change: { now: KubeObject; before?: KubeObject }): Subject {
  const kind = change.now.kind === 'Machine' ? 'Machine' : 'MachineDeployment';
  return { kind, endpoint, body: JSON.stringify(reviewOf(change)) };
}
