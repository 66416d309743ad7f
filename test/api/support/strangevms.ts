import { type ConfigMap, configMaps, namespaces } from '../../../controller/runtime/k8s/core.ts';
import type { Herd } from './herd.ts';

/** Namespace of the virtual cloud's database. */
const CLOUD = 'drover-virtual-cloud';

const HOUR_MS = 3_600_000;

/** A VM that nobody's Machine made; see the console of the virtual driver. */
export interface Strange {
  /** Unique in the cloud. */
  id: string;
  /** Name of the Machine that it says it is of; its id when absent. */
  machine?: string;
  class?: string;
  /** Whose it is; this installation's when absent. */
  incarnation?: string;
  /** Milliseconds since its creation; an hour when absent. */
  ageMs?: number;
  /** It registers its Node at once; otherwise it never does. */
  joins?: boolean;
}

/** The id of the installation that the herd's controller belongs to. */
export const incarnationOf = async ({ api }: Herd): Promise<string> =>
  (await api.get(namespaces, { name: 'kube-system' })).metadata.uid ?? '';

/** Puts VMs into the virtual cloud behind the controller's back; their names begin with the herd's namespace. */
export async function makeStrange(herd: Herd, vms: readonly Strange[]): Promise<void> {
  const { api, namespace } = herd;
  const incarnation = await incarnationOf(herd);
  await api.create(namespaces, { metadata: { name: CLOUD } }).catch(() => {});
  await Promise.all(vms.map((vm) => api.create(configMaps, strange(vm, { namespace, incarnation }))));
}

/** Ids of the strange VMs that are left, sorted. */
export async function strangeLeft(herd: Herd): Promise<string[]> {
  const prefix = `${herd.namespace}-`;
  const left = (await herd.vms()).map(({ metadata }) => metadata.name).filter((name) => name.startsWith(prefix));
  return left.map((name) => name.slice(prefix.length)).sort();
}

function strange(vm: Strange, ours: { namespace: string; incarnation: string }): ConfigMap {
  const { id, machine = id, class: className = 'small', incarnation = ours.incarnation, ageMs = HOUR_MS } = vm;
  const name = `${ours.namespace}-${id}`;
  return {
    metadata: { name, namespace: CLOUD, labels: { 'drover.dev/virtual-vm': 'true' } },
    data: {
      providerID: `virtual:///${name}`,
      machine: `${ours.namespace}/${machine}`,
      class: `${ours.namespace}/${className}`,
      nodeName: name,
      incarnation,
      created: new Date(Date.now() - ageMs).toISOString(),
      spec: JSON.stringify({ heartbeat: '0s', ...(vm.joins ? {} : { latency: { join: '1000h' } }) }),
      node: '{}',
      state: 'Running',
    },
  };
}
