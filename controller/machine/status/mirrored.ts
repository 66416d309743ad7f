import type { Machine } from '../../../schemas/machine.ts';
import { timestamp } from '../../runtime/k8s/timestamp.ts';
import type { MachineView } from '../flow/view.ts';

type Status = NonNullable<Machine['status']>;
type Address = NonNullable<Status['addresses']>[number];

/** What the status tells of the Node and the VM: whose Node, its addresses and versions (MCM 6.4; decisions 2; CKV E1). */
export const mirrored = (view: MachineView): Partial<Status> => ({
  ...nodeRefOf(view),
  ...addressesOf(view),
  ...versionsOf(view),
  ...providerConditionsOf(view),
});

/** A machine becomes one Node: a reference to one of another name is not ours to change, and the API server refuses it. */
function nodeRefOf({ node, machine: { status } }: MachineView): Partial<Status> {
  if (node.at !== 'present' || (status?.nodeRef && status.nodeRef.name !== node.name)) return {};
  return { nodeRef: { name: node.name, uid: node.uid } };
}

/** The Node's, and the driver's until there is one; without a target cluster all that were ever seen, as in MCM. */
function addressesOf({ node, vm, machine }: MachineView): Partial<Status> {
  const told = vm.at === 'present' ? (vm.addresses ?? []) : [];
  if (node.at === 'none') return vm.at === 'present' ? { addresses: union(machine, [...told, named(vm)]) } : {};
  const ofNode = node.at === 'present' ? (node.object.status?.addresses ?? []) : [];
  const [known] = [ofNode, told].filter((addresses) => addresses.length > 0);
  return known ? { addresses: known.map(({ type, address }) => ({ type, address })) } : {};
}

const named = ({ nodeName }: { nodeName: string }): Address => ({ type: 'Hostname', address: nodeName });

function union({ status }: Machine, addresses: Address[]): Address[] {
  const all = [...(status?.addresses ?? []), ...addresses];
  const byText = new Map(all.map(({ type, address }) => [`${type} ${address}`, { type, address }]));
  return [...byText.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, address]) => address);
}

function versionsOf({ node, machine }: MachineView): Partial<Status> {
  const kubelet = node.at === 'present' ? node.object.status?.nodeInfo?.['kubeletVersion'] : undefined;
  return kubelet ? { versions: { ...machine.status?.versions, kubelet } } : {};
}

/** One of each type, each with the time since when it is so. */
function providerConditionsOf({ vm, machine, now }: MachineView): Partial<Status> {
  if (vm.at !== 'present' || !vm.conditions) return {};
  const before = machine.status?.providerConditions ?? [];
  const byType = new Map(vm.conditions.map((condition) => [condition.type, condition]));
  const providerConditions = [...byType.values()].map(({ type, status, reason, message }) => {
    const old = before.find((one) => one.type === type);
    const lastTransitionTime = old?.status === status ? old.lastTransitionTime : timestamp(now);
    return { type, status, lastTransitionTime, ...(reason && { reason }), ...(message && { message }) };
  });
  return { providerConditions };
}
