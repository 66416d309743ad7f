import { type Api, isAlreadyExists, isInvalid, isNotFound } from '../../runtime/client/api.ts';
import type { Clock } from '../../runtime/clock.ts';
import { type Condition, leases, type Node, nodes } from '../../runtime/k8s/core.ts';
import { microTimestamp } from '../../runtime/k8s/object.ts';
import { type Pod, pods } from '../../runtime/k8s/workload.ts';
import { isNodeOf, readyOf } from './life.ts';
import { LEASE_NAMESPACE, leaseOf, NOT_READY_TAINT, nodeObjectOf, readyAt } from './node.ts';
import type { Vm } from './vm.ts';

/** The calls that are made to the target cluster. */
export type NodeApi = Pick<Api, 'create' | 'delete' | 'get' | 'list' | 'patch'>;

/** Writes to the target cluster what the kubelet of a real VM would, and what nobody else would. */
export interface Kubelet {
  api: NodeApi;
  clock: Clock;
  signal: AbortSignal;
}

/**
 * Registers the VM's Node, or finds it registered.
 * @throws Error when the Node of that name is another's
 */
export async function register({ api, clock, signal }: Kubelet, vm: Vm): Promise<Node> {
  try {
    return await api.create(nodes, nodeObjectOf(vm, clock.now()), { signal });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    const there = await api.get(nodes, { name: vm.nodeName }, { signal });
    if (isNodeOf(vm, there)) return there;
    throw new Error(`the VM of ${vm.machine} cannot join: Node ${vm.nodeName} is another's`, { cause: error });
  }
}

/** Takes back a Node that was registered while its VM was being deleted. */
export function unregister({ api, signal }: Kubelet, { metadata }: Node): Promise<void> {
  const { name, uid } = metadata;
  return unlessGone(api.delete(nodes, { name }, { signal, ...(uid ? { uid } : {}) }));
}

/** Writes the Node's Ready condition. */
export function report({ api, signal }: Kubelet, { metadata }: Node, ready: Condition): Promise<Node> {
  const body = { status: { conditions: [ready] } };
  return api.patch(nodes, { name: metadata.name }, { type: 'strategic', body }, { subresource: 'status', signal });
}

/** Takes admission's not-ready taint off, and no other: undefined when the Node's taints are others by now. */
export async function untaint({ api, signal }: Kubelet, { metadata, spec }: Node): Promise<Node | undefined> {
  const path = `/spec/taints/${spec?.taints?.findIndex(({ key }) => key === NOT_READY_TAINT)}`;
  const body = [
    { op: 'test', path: `${path}/key`, value: NOT_READY_TAINT },
    { op: 'remove', path },
  ];
  try {
    return await api.patch(nodes, { name: metadata.name }, { type: 'json', body }, { signal });
  } catch (error) {
    if (isInvalid(error)) return undefined;
    throw error;
  }
}

/** A heart-beat: renews the Node's Lease, or makes it, and sees to it that the Node is Ready. */
export async function beat(kubelet: Kubelet, vm: Vm, node: Node): Promise<Node | undefined> {
  const { api, clock, signal } = kubelet;
  const ref = { namespace: LEASE_NAMESPACE, name: vm.nodeName };
  const body = { spec: { renewTime: microTimestamp(clock.now()) } };
  try {
    await api.patch(leases, ref, { type: 'merge', body }, { signal });
  } catch (error) {
    if (!isNotFound(error)) throw error;
    await api.create(leases, leaseOf(vm, { node, now: clock.now() }), { signal });
  }
  return readyOf(node)?.status === 'True' ? undefined : report(kubelet, node, readyAt(clock.now()));
}

/** Reports that a pod has ended: nothing runs in it, so it does not take its grace period. */
export function endPod({ api, signal }: Kubelet, { metadata }: Pod): Promise<void> {
  const { namespace, name, uid } = metadata;
  const gone = api.delete(pods, { namespace, name }, { signal, gracePeriodSeconds: 0, ...(uid ? { uid } : {}) });
  return unlessGone(gone);
}

/** Takes the Lease of a Node away: where there is no garbage collector, nobody else does. */
export function endLease({ api, signal }: Kubelet, nodeName: string): Promise<void> {
  return unlessGone(api.delete(leases, { namespace: LEASE_NAMESPACE, name: nodeName }, { signal }));
}

async function unlessGone(call: Promise<unknown>): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
