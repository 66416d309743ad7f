import type { Api } from '../runtime/client/api.ts';
import { type Pod, pods } from '../runtime/k8s/workload.ts';
import { accountOf } from '../runtime/memory/cacheroom.ts';
import { NOT_ENDED } from '../targets/pods.ts';
import { type Labels, picked } from './flow/rules.ts';

const TIMEOUT_MS = 15_000;
/** More is not kept of the pods of a Node: bytes (weight.ts), and far more pods than one has. */
const MOST = { objects: 5_000, bytes: 1 << 20 };

/** What is known of the labels of a pod. */
export interface PodLabels {
  labels: Labels;
  /** At which it had them. */
  version: string | undefined;
}

/** Labels of these keys of all pods of a Node, by UID, by one list; where they are a crowd, of those that have not ended. */
export async function listLabels(
  api: Api,
  { nodeName, keys, isCrowded }: { nodeName: string; keys: ReadonlySet<string>; isCrowded: boolean },
  signal: AbortSignal,
): Promise<Map<string, PodLabels>> {
  const { items } = await api.list(pods, {
    fieldSelector: `spec.nodeName=${nodeName}${isCrowded ? `,${NOT_ENDED}` : ''}`,
    signal,
    timeoutMs: TIMEOUT_MS,
    keep: (pod) => labelsAlone(pod, keys),
    most: MOST,
    account: accountOf(MOST.bytes),
  });
  return new Map(
    items.map(({ metadata: { uid = '', labels = {}, resourceVersion: version } }) => [uid, { labels, version }]),
  );
}

function labelsAlone({ metadata }: Pod, keys: ReadonlySet<string>): Pod {
  const { name, namespace, uid, resourceVersion, labels } = metadata;
  return { metadata: { name, namespace, uid, resourceVersion, labels: picked(labels, keys) } };
}

/**
 * The same, with one object for all labels that are the same, that of before where there was one: what was said of them counts on, and most
 * pods of a Node have few labels that differ.
 */
export function shared(
  listed: ReadonlyMap<string, PodLabels>,
  before: ReadonlyMap<string, PodLabels> = new Map(),
): Map<string, PodLabels> {
  const known = new Map([...before.values()].map(({ labels }) => [JSON.stringify(labels), labels]));
  const one = (labels: Labels): Labels => {
    const text = JSON.stringify(labels);
    const same = known.get(text) ?? labels;
    known.set(text, same);
    return same;
  };
  return new Map([...listed].map(([uid, { labels, version }]) => [uid, { labels: one(labels), version }]));
}
