import { ANNOTATION_CAPACITY_APPLIED, CAPACITY_PREFIX, LABEL_ZONE } from '../../../schemas/keys.ts';
import type { MachineClass } from '../../../schemas/machineclass.ts';
import { BOUND_KEYS, boundOf } from '../../../schemas/rules/autoscaler.ts';
import { act, type Outcome, pass } from '../../flow/flow.ts';
import { amountOf } from '../../nodes/change.ts';
import type { Reason } from './reasons.ts';
import type { MachineDeploymentAction, MachineDeploymentView } from './view.ts';

type Annotations = Readonly<Record<string, string>>;

/** What a class says of the capacity of its Nodes, by the ends of the annotations in which an autoscaler reads it. */
const RESOURCES = { cpu: 'cpu', memory: 'memory', 'ephemeral-storage': 'ephemeral-disk', pods: 'maxPods' } as const;
/** The autoscaler wants a type beside a number of GPUs. */
const GPU_TYPE = 'nvidia.com/gpu';
const LABELS = {
  instanceType: 'node.kubernetes.io/instance-type',
  region: 'topology.kubernetes.io/region',
  zone: LABEL_ZONE,
  architecture: 'kubernetes.io/arch',
} as const;

/**
 * A deployment that is a node group of the cluster-autoscaler's clusterapi provider tells what a Node of its class is
 * like, so that it scales from zero (hack/spec/cluster-api.md E1, E3.7). What the user wrote stays: only values that are still as we wrote
 * them are changed or taken off.
 */
export function capacityAnnotated({
  deployment,
  class: found,
}: MachineDeploymentView): Outcome<MachineDeploymentAction, Reason> {
  const there = deployment.metadata.annotations ?? {};
  const wanted = isGroup(there) ? found && capacityOf(found, deployment.spec.template) : {};
  // A class that is not there says nothing.
  if (!wanted) return pass;
  const applied = appliedIn(there);
  const ours = (key: string) => there[key] === undefined || there[key] === applied[key];
  const kept = Object.fromEntries(Object.entries(wanted).filter(([key]) => ours(key)));
  const gone = Object.keys(applied).filter((key) => ours(key) && kept[key] === undefined);
  const record = Object.keys(kept).length > 0 ? JSON.stringify(kept) : null;
  const changes = {
    ...Object.fromEntries(gone.map((key) => [key, null])),
    ...kept,
    [ANNOTATION_CAPACITY_APPLIED]: record,
  };
  const news = Object.entries(changes).filter(([key, value]) => (there[key] ?? null) !== value);
  return news.length > 0 ? act('AnnotateCapacity', { do: 'annotate', annotations: Object.fromEntries(news) }) : pass;
}

/** An autoscaler passes over what has no upper bound, or 0. */
const isGroup = (annotations: Annotations): boolean =>
  BOUND_KEYS.some(({ max }) => (boundOf(annotations[max] ?? '') ?? 0) > 0);

function capacityOf(
  { nodeTemplate }: MachineClass,
  { spec }: MachineDeploymentView['deployment']['spec']['template'],
): Annotations {
  if (!nodeTemplate) return {};
  const { capacity } = nodeTemplate;
  const amounts = Object.entries(RESOURCES).map(([resource, end]) => [end, capacity[resource]]);
  const gpus = amountOf(capacity['gpu'] ?? 0) > 0 ? { 'gpu-count': capacity['gpu'], 'gpu-type': GPU_TYPE } : {};
  const labels = Object.entries(LABELS).map(([field, key]) => [key, nodeTemplate[field as keyof typeof LABELS]]);
  const all = { ...withoutEmpty(labels), ...spec?.nodeTemplate?.metadata?.labels };
  const taints = spec?.nodeTemplate?.spec?.taints?.map(({ key, value = '', effect }) => `${key}=${value}:${effect}`);
  const ends = withoutEmpty([
    ...amounts,
    ...Object.entries(gpus),
    ['labels', listed(all)],
    ['taints', taints?.join(',')],
  ]);
  return Object.fromEntries(Object.entries(ends).map(([end, text]) => [`${CAPACITY_PREFIX}${end}`, text]));
}

const listed = (labels: Annotations): string =>
  Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');

const withoutEmpty = (entries: ReadonlyArray<readonly unknown[]>): Record<string, string> =>
  Object.fromEntries(
    entries.flatMap(([key, value]) => (value === undefined || value === '' ? [] : [[key, `${value}`]])),
  );

/** A record that cannot be read is none: then all that is there is the user's. */
function appliedIn(annotations: Annotations): Annotations {
  try {
    const record: unknown = JSON.parse(annotations[ANNOTATION_CAPACITY_APPLIED] ?? '{}');
    return typeof record === 'object' && record !== null ? (record as Annotations) : {};
  } catch {
    return {};
  }
}
