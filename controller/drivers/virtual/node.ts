import { LABEL_ZONE } from '../../../schemas/keys.ts';
import type { MachineClass } from '../../../schemas/machineclass.ts';
import type { VirtualSpec } from '../../../schemas/providers/virtual.ts';
import type { Condition, Lease, Node, Taint } from '../../runtime/k8s/core.ts';
import { microTimestamp, timestamp } from '../../runtime/k8s/object.ts';
import { VM_LABEL } from './configmap.ts';
import { heartbeatMs, providerIDOf, type Vm } from './vm.ts';

/** Taint that admission puts on every new Node; a node life-cycle controller takes it off once the Node is Ready. */
export const NOT_READY_TAINT = 'node.kubernetes.io/not-ready';
/** Namespace of the heart-beats of Nodes; the API server itself makes it. */
export const LEASE_NAMESPACE = 'kube-node-lease';

/** Why a Node is not Ready, where the driver says so. */
export type Silence = 'VirtualMachineBroken' | 'VirtualMachineGone';
const silences: Readonly<Record<Silence, string>> = {
  VirtualMachineBroken: 'The virtual VM is broken and has stopped reporting.',
  VirtualMachineGone: 'The virtual VM is gone.',
};

const VERSION = 'v0.0.0-virtual';
const usualCapacity = { cpu: '4', memory: '16Gi', pods: '110' };

/** Labels and capacity that a class gives to the Nodes of its VMs: those of its nodeTemplate, overruled by its providerSpec. */
export function nodeOfClass({ nodeTemplate }: MachineClass, { node = {} }: VirtualSpec): Vm['node'] {
  const labels = {
    'node.kubernetes.io/instance-type': nodeTemplate?.instanceType,
    'topology.kubernetes.io/region': nodeTemplate?.region,
    [LABEL_ZONE]: nodeTemplate?.zone,
    'kubernetes.io/arch': nodeTemplate?.architecture,
    'kubernetes.io/os': node.os,
    ...node.labels,
  };
  const { gpu: _, ...templateCapacity } = nodeTemplate?.capacity ?? {};
  const capacity = { ...usualCapacity, ...templateCapacity, ...node.capacity };
  return { labels: texts(labels), capacity: texts(capacity) };
}

/** The Node that a VM registers, with its status, as a kubelet does it in one write. */
export function nodeObjectOf(vm: Vm, now: number): Node {
  const { nodeName, address, node, spec } = vm;
  return {
    metadata: { name: nodeName, labels: { 'kubernetes.io/hostname': nodeName, ...node.labels } },
    spec: { providerID: providerIDOf(vm.uid), taints: (spec.node?.taints ?? []) as Taint[] },
    status: {
      conditions: [readyAt(now), ...['Memory', 'Disk', 'PID'].map((what) => noPressure(what, now))],
      addresses: addressesOf({ address, nodeName }),
      capacity: node.capacity,
      allocatable: node.capacity,
      nodeInfo: nodeInfo(vm),
    },
  };
}

/** Addresses of a VM, as its Node and the driver's answers list them. */
export const addressesOf = ({ address, nodeName }: Pick<Vm, 'address' | 'nodeName'>) => [
  { type: 'InternalIP', address },
  { type: 'Hostname', address: nodeName },
];

/** The Ready condition of a Node that reports. */
export const readyAt = (now: number): Condition => ({
  type: 'Ready',
  status: 'True',
  reason: 'KubeletReady',
  message: 'The virtual VM runs.',
  lastHeartbeatTime: timestamp(now),
  lastTransitionTime: timestamp(now),
});

/** The Ready condition of a Node that has fallen silent. */
export const silentAt = (now: number, reason: Silence): Condition => ({
  type: 'Ready',
  status: 'Unknown',
  reason,
  message: silences[reason],
  lastTransitionTime: timestamp(now),
});

/** The Lease that a Node renews with each heart-beat (KEP-589); it goes with the Node where there is a garbage collector. */
export function leaseOf(vm: Vm, { node, now }: { node: Node; now: number }): Lease {
  const { name, uid = '' } = node.metadata;
  return {
    metadata: {
      name,
      namespace: LEASE_NAMESPACE,
      labels: { [VM_LABEL]: vm.uid },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name, uid }],
    },
    spec: {
      holderIdentity: name,
      leaseDurationSeconds: Math.max(1, Math.ceil((4 * heartbeatMs(vm)) / 1000)),
      renewTime: microTimestamp(now),
    },
  };
}

/** Whether the driver wrote this condition when a Node became unreachable. */
export const isSilence = (condition: Condition | undefined): boolean =>
  Object.hasOwn(silences, condition?.reason ?? '');

const noPressure = (what: string, now: number): Condition => ({
  type: `${what}Pressure`,
  status: 'False',
  reason: `KubeletHasNo${what}Pressure`,
  lastHeartbeatTime: timestamp(now),
  lastTransitionTime: timestamp(now),
});

const nodeInfo = ({ uid, node, spec }: Vm): Record<string, string> => ({
  machineID: uid,
  systemUUID: uid,
  bootID: uid,
  kernelVersion: '',
  osImage: 'Virtual',
  containerRuntimeVersion: `virtual://${VERSION}`,
  kubeletVersion: VERSION,
  kubeProxyVersion: '',
  operatingSystem: spec.node?.os ?? 'linux',
  architecture: node.labels['kubernetes.io/arch'] ?? 'amd64',
});

/** Values as text; entries without a value are left out. */
const texts = (values: Record<string, string | number | undefined>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([key, value]) => (value === undefined ? [] : [[key, `${value}`]])),
  );
