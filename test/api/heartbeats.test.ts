import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { nodes } from '../../controller/runtime/k8s/core.ts';
import { type ControllerProcess, startController } from './support/controllerprocess.ts';
import { controlPlane } from './support/controlplane.ts';
import { Herd } from './support/herd.ts';

setDefaultTimeout(180_000);
const herd = new Herd();
let controller: ControllerProcess;

beforeAll(async () => {
  const cluster = await controlPlane();
  herd.settle(cluster, await cluster.namespace('heartbeats'));
  const flags = ['--node-lease-timeout=2s', '--machine-health-timeout=1s'];
  controller = await startController({ cluster, namespace: herd.namespace, flags });
});

afterAll(async () => {
  await herd.kubectl('delete', 'mc', '--all', '--timeout=45s');
  const lines = await controller.lines();
  expect(await controller.stop()).toBe(0);
  expect(lines.filter((line) => line.includes('Leases of Nodes cannot be read'))).toEqual([]);
});

const beats = (heartbeat: string) =>
  herd.kubectl('patch', 'mcc/beating', '--type=merge', '-p', JSON.stringify({ providerSpec: { heartbeat } }));
const phase = (name: string, is: string) =>
  herd.kubectl('wait', `mc/${name}`, `--for=jsonpath={.status.currentStatus.phase}=${is}`, '--timeout=45s');

test('a Ready Node that no longer renews its Lease makes its Machine Unknown, and no more than that', async () => {
  const name = `m-${herd.namespace}`;
  await herd.makeClass('beating', { heartbeat: '500ms' });
  await herd.apply(herd.alone(name, 'beating'));
  await phase(name, 'Running');
  await beats('0s');
  await phase(name, 'Unknown');
  await herd.kubectl(
    'wait',
    `mc/${name}`,
    '--for=jsonpath={.status.currentStep.reason}=NodeLeaseExpired',
    '--timeout=45s',
  );
  const ready = (await herd.api.get(nodes, { name })).status?.conditions?.find(({ type }) => type === 'Ready');
  expect(ready?.status).toBe('True');
  // The health time-out is over long since when the Node is heard again: nothing was Failed meanwhile.
  await beats('500ms');
  await phase(name, 'Running');
  const told = await herd.events();
  expect(told).toContain('NodeLeaseExpired');
  expect(told).not.toContain('HealthTimedOut');
});
