import { timestamp } from '../../controller/runtime/clock.ts';
import type { Node } from '../../controller/runtime/core.ts';
import type { WorldClock } from '../world/clock.ts';
import type { Chance } from './chance.ts';
import type { Cloud, Vm, VmEvent } from './cloud.ts';
import type { Server } from './server.ts';

/** What the Nodes of the cloud's VMs do in the target cluster. */
export interface KubeletParts {
  cloud: Cloud;
  target: Server;
  clock: WorldClock;
  chance: Chance;
}

/** A Node that is silent for so long is no longer Ready (node-monitor-grace-period). */
const GRACE_MS = 40_000;
const BOOT_MS = { from: 1_000, to: 30_000 };

/** Registers a Node for each VM, marks those of silent VMs, and registers again what somebody deleted. */
export function runKubelets({ cloud, target, clock, chance }: KubeletParts): void {
  const join = ({ providerID }: Vm) => {
    const vm = cloud.vms.get(providerID);
    if (vm && !vm.broken) send(target, 'POST', { path: '/api/v1/nodes', body: nodeOf(vm, clock.now()) });
  };
  const joinSoon = (vm: Vm) => clock.after(chance.between(BOOT_MS.from, BOOT_MS.to), () => join(vm));
  const silence = (vm: Vm) => {
    const there = cloud.vms.get(vm.providerID);
    if (!there || there.broken) report(target, vm, { status: 'Unknown', at: clock.now() });
  };
  const after: Readonly<Record<VmEvent['type'], (vm: Vm) => void>> = {
    made: joinSoon,
    mended: (vm) => {
      join(vm);
      report(target, vm, { status: 'True', at: clock.now() });
    },
    broken: (vm) => clock.after(GRACE_MS, () => silence(vm)),
    vanished: (vm) => clock.after(GRACE_MS, () => silence(vm)),
    deleted: (vm) => clock.after(GRACE_MS, () => silence(vm)),
  };
  cloud.onEvent(({ type, vm }) => after[type](vm));
  target.api.store.onWrite(({ resource, before, after: left }) => {
    if (resource !== '/nodes' || left) return;
    const { providerID } = (before as Node).spec ?? {};
    const vm = cloud.vms.get(providerID ?? '');
    if (vm) joinSoon(vm);
  });
}

function nodeOf({ providerID, nodeName }: Vm, now: number): Node {
  return { metadata: { name: nodeName }, spec: { providerID }, status: { conditions: [ready('True', now)] } };
}

/** Writes the Ready condition of the VM's own Node. */
function report(target: Server, { nodeName, providerID }: Vm, { status, at }: { status: string; at: number }): void {
  const node = target.api.store.get('/nodes', nodeName) as Node | undefined;
  if (node?.spec?.providerID !== providerID || node.status?.conditions?.[0]?.status === status) return;
  const body = { status: { conditions: [ready(status, at)] } };
  send(target, 'PATCH', { path: `/api/v1/nodes/${nodeName}/status`, body });
}

const ready = (status: string, now: number) => ({
  type: 'Ready',
  status,
  lastHeartbeatTime: timestamp(now),
  lastTransitionTime: timestamp(now),
});

/** What a kubelet asks of the server. */
function send(server: Server, method: 'POST' | 'PATCH', { path, body }: { path: string; body: object }): void {
  const contentType = method === 'PATCH' ? 'application/strategic-merge-patch+json' : 'application/json';
  server.handle('kubelet', { method, path, contentType, body: JSON.stringify(body) });
}
