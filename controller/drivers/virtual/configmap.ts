import type { ConfigMap } from '../../runtime/k8s/core.ts';
import { microTimestamp } from '../../runtime/k8s/object.ts';
import { specOrNone } from './spec.ts';
import type { VmUpdate } from './store.ts';
import { providerIDOf, type Vm, type VmState } from './vm.ts';

/** Namespace of the ConfigMaps; `kubectl get configmaps -n drover-virtual-cloud` is the provider's console. */
export const CLOUD_NAMESPACE = 'drover-virtual-cloud';
/** Label on the ConfigMaps; also, with the VM's UID as value, on the Leases of their Nodes. */
export const VM_LABEL = 'drover.dev/virtual-vm';

const TAG = 'tag.';

/** A VM as a ConfigMap, for people to read and to break (README.md). */
export function encodeVm(vm: Vm): ConfigMap {
  const { uid, machine, machineUID, nodeName, class: className, cluster, incarnation, address } = vm;
  return {
    metadata: { name: uid, namespace: CLOUD_NAMESPACE, labels: { [VM_LABEL]: 'true' } },
    data: {
      providerID: providerIDOf(uid),
      machine,
      nodeName,
      class: className,
      ...(cluster && { cluster }),
      address,
      created: microTimestamp(vm.created),
      node: JSON.stringify(vm.node),
      ...(encodeUpdate({ state: vm.state, spec: vm.spec, tags: vm.tags, machineUID, incarnation }) as Record<
        string,
        string
      >),
    },
  };
}

/** A change of a VM as the change of its ConfigMap's data; null takes a key out. */
export function encodeUpdate({
  state,
  spec,
  machineUID,
  incarnation,
  tags = {},
  ...moments
}: VmUpdate): Record<string, string | null> {
  const data: Record<string, string | null> = {};
  if (state) data['state'] = state;
  if (spec) data['spec'] = JSON.stringify(spec);
  if (machineUID !== undefined) data['machineUID'] = machineUID;
  if (incarnation !== undefined) data['incarnation'] = incarnation;
  for (const [key, ms] of Object.entries(moments))
    if (ms !== undefined) data[key] = ms === null ? null : microTimestamp(ms);
  for (const [key, value] of Object.entries(tags)) data[TAG + key] = value;
  return data;
}

/** Reads a ConfigMap back. Users may edit it, so nothing in it has to be there or to make sense. */
export function decodeVm({ metadata, data = {} }: ConfigMap): Vm {
  const tags = Object.entries(data).filter(([key]) => key.startsWith(TAG));
  const node = jsonOf(data['node']) as Partial<Vm['node']> | undefined;
  return {
    uid: metadata.name,
    machine: data['machine'] ?? '',
    machineUID: data['machineUID'],
    nodeName: data['nodeName'] ?? '',
    class: data['class'] ?? '',
    cluster: data['cluster'] ?? '',
    incarnation: data['incarnation'],
    address: data['address'] ?? '',
    created: momentOf(data['created']) ?? momentOf(metadata.creationTimestamp) ?? 0,
    initialized: momentOf(data['initialized']),
    retained: momentOf(data['retained']),
    deleting: momentOf(data['deleting']),
    state: (data['state'] ?? '') as VmState,
    broken: data['broken'] === 'true',
    spec: specOrNone(jsonOf(data['spec'])),
    node: { labels: node?.labels ?? {}, capacity: node?.capacity ?? {} },
    tags: Object.fromEntries(tags.map(([key, value]) => [key.slice(TAG.length), value])),
  };
}

function momentOf(text: string | undefined): number | undefined {
  const ms = Date.parse(text ?? '');
  return Number.isNaN(ms) ? undefined : ms;
}

function jsonOf(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
}
