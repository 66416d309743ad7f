import { parseDuration } from '../../../schemas/duration.ts';
import type { VirtualSpec } from '../../../schemas/providers/virtual.ts';
import { refOf } from '../../runtime/k8s/object.ts';
import type { MachineRequest, VmOwner } from '../sdk/driver.ts';
import { DriverError } from '../sdk/errors.ts';
import { chanceOf } from './chance.ts';
import { fateOf } from './faults.ts';

/** How a VM stands, for people to read. */
export type VmState = 'Creating' | 'Uninitialized' | 'Booting' | 'Running' | 'Broken' | 'Deleting';

/** A virtual VM as a store keeps it: everything that its life depends on, so that another process can go on with it. */
export interface Vm {
  /** UID of the Machine for which it was made, which is also the token of its creation. */
  uid: string;
  /** `namespace/name` of its Machine. */
  machine: string;
  /** UID of the Machine that claimed it since; absent while it is that for which it was made. */
  machineUID?: string | undefined;
  /** Name of its Node. */
  nodeName: string;
  /** `namespace/name` of its class. */
  class: string;
  /** Key (namespace/name) of the Cluster that it joins; empty for the default target. */
  cluster: string;
  incarnation?: string | undefined;
  /** Address inside 10.0.0.0/8, no other VM's. */
  address: string;
  /** Moment of its creation, milliseconds since the epoch, like all moments here. */
  created: number;
  initialized?: number | undefined;
  /** When its Machine left it on purpose. */
  retained?: number | undefined;
  /** When it began to be deleted. */
  deleting?: number | undefined;
  state: VmState;
  /** Set by a user: its Node falls silent. */
  broken: boolean;
  /** The providerSpec that it was made of, with the hot fields as last updated. */
  spec: VirtualSpec;
  /** Labels and capacity that its class gives to its Node. */
  node: { labels: Record<string, string>; capacity: Record<string, string> };
  tags: Readonly<Record<string, string>>;
}

const PREFIX = 'virtual:///';

/** Identity of the VM of a Machine's UID. */
export const providerIDOf = (uid: string): string => `${PREFIX}${uid}`;

/** UID inside the identity of a virtual VM; undefined for any other identity. */
export const uidOf = (providerID: string | undefined): string | undefined =>
  providerID?.startsWith(PREFIX) ? providerID.slice(PREFIX.length) : undefined;

/** The VM's mark. That of a VM without an installation, such as MCM's, is no more than a name. */
export function ownerOf({ machine, machineUID, uid, incarnation }: Vm): VmOwner | undefined {
  const { namespace, name } = refOf(machine);
  if (!name) return undefined;
  if (incarnation === undefined) return { name, namespace };
  return { name, namespace, installation: incarnation, uid: machineUID ?? uid };
}

/**
 * UID of the VM that a request is about: the one that the Machine's providerID names, else the Machine's own.
 * @throws DriverError InvalidArgument when the providerID is another provider's
 */
export function uidIn({ machine, token }: MachineRequest): string {
  const { providerID } = machine.spec;
  if (!providerID) return machine.metadata.uid ?? token;
  const uid = uidOf(providerID);
  if (uid) return uid;
  throw new DriverError(
    'InvalidArgument',
    `spec.providerID ${providerID} is not that of a virtual VM, which begins with ${PREFIX}`,
  );
}

/** How often the VM's Node renews its Lease, milliseconds; 0 for never. */
export const heartbeatMs = ({ spec }: Vm): number => parseDuration(spec.heartbeat ?? '10s') ?? 0;

/** How long a stretch of the VM's life takes, milliseconds. */
export function latencyMs({ spec, machine }: Vm, stretch: 'create' | 'boot' | 'join' | 'delete' | 'terminate'): number {
  const { spread = 0, [stretch]: duration = '0' } = spec.latency ?? {};
  const ms = parseDuration(duration) ?? 0;
  return spread === 0 ? ms : ms * (1 + spread * (2 * chanceOf(`${machine} ${stretch}`) - 1));
}

/** When what happens in the VM's life: past moments have happened, Infinity never comes. */
export function momentsOf(vm: Vm): Record<'made' | 'runs' | 'joins' | 'breaks' | 'vanishes' | 'ends', number> {
  const made = vm.created + latencyMs(vm, 'create');
  const booting = vm.spec.initialize ? (vm.initialized ?? Number.POSITIVE_INFINITY) : made;
  const runs = booting + latencyMs(vm, 'boot');
  const fate = fateOf(vm);
  return {
    made,
    runs,
    joins: fate.joins ? runs + latencyMs(vm, 'join') : Number.POSITIVE_INFINITY,
    breaks: vm.created + fate.breaksAfterMs,
    vanishes: vm.created + fate.vanishesAfterMs,
    ends: endOf(vm),
  };
}

/** When a VM goes by itself whose deletion was answered before it is over. */
function endOf(vm: Vm): number {
  const staysMs = latencyMs(vm, 'terminate');
  if (vm.deleting === undefined || staysMs === 0) return Number.POSITIVE_INFINITY;
  return vm.deleting + latencyMs(vm, 'delete') + staysMs;
}

/** Whether the VM waits for its initialization. */
export const isToInitialize = ({ spec, initialized }: Vm): boolean =>
  spec.initialize === true && initialized === undefined;

/** Whether the VM's Node has fallen silent, by a user's word or by a fault. */
export const isBroken = (vm: Vm, now: number): boolean => vm.broken || now >= momentsOf(vm).breaks;

/** How the VM stands at a moment. */
export function stateOf(vm: Vm, now: number): VmState {
  const { made, runs } = momentsOf(vm);
  if (vm.deleting !== undefined) return 'Deleting';
  if (isBroken(vm, now)) return 'Broken';
  if (now < made) return 'Creating';
  if (isToInitialize(vm)) return 'Uninitialized';
  return now < runs ? 'Booting' : 'Running';
}
