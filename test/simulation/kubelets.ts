import type { Node } from '../../controller/runtime/k8s/core.ts';
import { microTimestamp, timestamp } from '../../controller/runtime/k8s/object.ts';
import { LABEL_UPDATE_RESULT } from '../../schemas/keys.ts';
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
  /** How far the clocks of the kubelets are ahead, milliseconds. */
  skewMs: number;
}

const BOOT_MS = { from: 1_000, to: 30_000 };

/** How often a Lease is renewed. */
const BEAT_MS = 30_000;

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';

/** Registers a Node for each VM, renews its Lease, and registers again what somebody deleted. */
export function runKubelets({ cloud, target, clock, chance, skewMs }: KubeletParts): void {
  send(target, 'POST', { path: '/api/v1/namespaces', body: { metadata: { name: 'kube-node-lease' } } });
  const now = () => clock.now() + skewMs;
  const join = ({ providerID }: Vm) =>
    target.whenReached(() => {
      const vm = cloud.vms.get(providerID);
      if (vm && !vm.broken) send(target, 'POST', { path: '/api/v1/nodes', body: nodeOf(vm, now()) });
    });
  const joinSoon = (vm: Vm) => clock.after(chance.between(BOOT_MS.from, BOOT_MS.to), () => join(vm));
  const mended = (vm: Vm) => {
    join(vm);
    target.whenReached(() => {
      if (cloud.vms.has(vm.providerID) && !vm.broken) report(target, vm, { status: 'True', at: now() });
    });
  };
  const listeners: Partial<Record<VmEvent['type'], (vm: Vm) => void>> = { made: joinSoon, mended };
  cloud.onEvent(({ type, vm }) => listeners[type]?.(vm));
  target.api.store.onWrite(({ resource, before, after }) => {
    if (resource !== '/nodes' || after) return;
    const vm = cloud.vms.get((before as Node).spec?.providerID ?? '');
    if (vm) joinSoon(vm);
  });
  const beat = () => {
    if (!target.outage?.forAll) for (const vm of cloud.vms.values()) renew(target, vm, now());
    clock.after(BEAT_MS, beat);
  };
  beat();
}

/** Writes the Ready condition of the VM's own Node. */
export function report(target: Server, vm: Vm, { status, at }: { status: string; at: number }): void {
  const node = nodeFor(target, vm);
  if (!node || node.status?.conditions?.[0]?.status === status) return;
  const body = { status: { conditions: [ready(status, at)] } };
  send(target, 'PATCH', { path: `/api/v1/nodes/${vm.nodeName}/status`, body });
}

/** The Node that a VM has registered. */
function nodeFor(target: Server, { nodeName, providerID }: Vm): Node | undefined {
  const node = target.api.store.get('/nodes', nodeName) as Node | undefined;
  return node?.spec?.providerID === providerID ? node : undefined;
}

function renew(target: Server, vm: Vm, now: number): void {
  const node = nodeFor(target, vm);
  if (!node || vm.broken) return;
  const { name, uid } = node.metadata;
  const metadata = { name, ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name, uid }] };
  const body = { metadata, spec: { renewTime: microTimestamp(now) } };
  const isThere = target.api.store.get('coordination.k8s.io/leases', `kube-node-lease/${name}`);
  if (isThere) send(target, 'PATCH', { path: `${LEASES}/${name}`, body });
  else send(target, 'POST', { path: LEASES, body });
}

function nodeOf({ providerID, nodeName, zone }: Vm, now: number): Node {
  const labels = { 'topology.kubernetes.io/zone': zone };
  return { metadata: { name: nodeName, labels }, spec: { providerID }, status: { conditions: [ready('True', now)] } };
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

/** What the agents on Nodes do that update machines in place. */
interface AgentParts {
  target: Server;
  clock: WorldClock;
  chance: Chance;
}

/** How long an update takes. */
const WORK_MS = { from: 1_000, to: 120_000 };

/** Once a Node is ready for its update, its agent does it, and says what came of it. */
export function runAgents({ target, clock, chance }: AgentParts): void {
  const answer = ({ metadata }: Node) => {
    const node = target.api.store.get('/nodes', metadata.name) as Node | undefined;
    if (!node || node.metadata.uid !== metadata.uid || !isReady(node)) return;
    const result = chance.happens(0.1) ? 'failed' : 'successful';
    const body = JSON.stringify({ metadata: { labels: { [LABEL_UPDATE_RESULT]: result } } });
    const contentType = 'application/merge-patch+json';
    target.handle('agent', { method: 'PATCH', path: `/api/v1/nodes/${metadata.name}`, contentType, body });
  };
  target.api.store.onWrite(({ resource, before, after }) => {
    if (resource !== '/nodes' || !after || !isReady(after as Node) || (before && isReady(before as Node))) return;
    clock.after(chance.between(WORK_MS.from, WORK_MS.to), () => answer(after as Node));
  });
}

const isReady = ({ status, metadata }: Node): boolean =>
  metadata.labels?.[LABEL_UPDATE_RESULT] === undefined &&
  (status?.conditions ?? []).some(({ type, reason }) => type === 'InPlaceUpdate' && reason === 'ReadyForUpdate');
