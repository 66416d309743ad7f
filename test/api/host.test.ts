import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { resources } from '../../schemas/kinds.ts';
import type { Machine } from '../../schemas/machine.ts';
import { type ControllerProcess, startController } from './support/controllerprocess.ts';
import { controlPlane } from './support/controlplane.ts';
import { Herd } from './support/herd.ts';
import { Workload } from './support/workload.ts';

setDefaultTimeout(180_000);
const herd = new Herd();
const workload = new Workload(herd);
let controller: ControllerProcess;

/** Starts a controller that is told that it runs on this Node. */
async function startOn(nodeName: string): Promise<void> {
  const flags = ['--leader-elect=false', `--node-name=${nodeName}`];
  controller = await startController({ cluster: herd.cluster, namespace: herd.namespace, flags });
  await controller.working();
}

beforeAll(async () => {
  const cluster = await controlPlane();
  herd.settle(cluster, await cluster.namespace('host'));
  await herd.kubectl('create', 'serviceaccount', 'default');
  await herd.makeClass('small');
  await startOn('elsewhere');
});

afterEach(() => workload.clear());
afterAll(async () => {
  expect(await controller.stop()).toBe(0);
});

const machine = (): Promise<Machine> => herd.api.get(resources.machines, { namespace: herd.namespace, name: 'm' });
const gone = () => herd.kubectl('wait', 'mc/m', '--for=delete', '--timeout=30s');

/** A machine that runs, and a controller that runs on its Node. */
async function hosting(): Promise<void> {
  await herd.apply(herd.alone('m', 'small'));
  await herd.whenRunning(1);
  await controller.stop();
  await startOn('m');
}

test('hack/spec/cluster-api.md A1.8, L3: the VM that hosts the controller is drained and stays; a replica elsewhere deletes it', async () => {
  await hosting();
  await workload.run('a');
  await herd.kubectl('delete', 'mc', 'm', '--wait=false');
  await herd.whenDecided('m', 'HostOfController');
  expect(await workload.pods()).toEqual([]);
  const { status } = await machine();
  const conditionOf = (name: string) => status?.conditions?.find(({ type }) => type === name);
  expect(conditionOf('Drained')?.status).toBe('True');
  expect(conditionOf('VMDeleted')).toMatchObject({ status: 'False', reason: 'HostOfController' });
  expect(conditionOf('VMDeleted')?.message).toContain('runs on Node "m"');
  expect(await herd.vms()).toHaveLength(1);
  await herd.eventually('an event', async () => (await told()).includes('HostOfController'));
  await controller.stop();
  await startOn('elsewhere');
  await gone();
  expect(await herd.vms()).toEqual([]);
});

test('hack/spec/cluster-api.md A1.8: an annotation lets the VM go all the same', async () => {
  await hosting();
  await herd.kubectl('delete', 'mc', 'm', '--wait=false');
  await herd.whenDecided('m', 'HostOfController');
  await herd.kubectl('annotate', 'mc/m', 'drover.dev/delete-host=true');
  await gone();
  expect(await herd.vms()).toEqual([]);
});

const told = () => herd.events();
