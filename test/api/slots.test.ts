import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { type ControllerProcess, startController } from './support/controllerprocess.ts';
import { controlPlane } from './support/controlplane.ts';
import { Herd } from './support/herd.ts';

setDefaultTimeout(180_000);

const flags = ['--max-concurrent-creates=1', '--leader-elect=false'];
const herd = new Herd();
let controller: ControllerProcess;

beforeAll(async () => {
  const cluster = await controlPlane();
  herd.settle(cluster, await cluster.namespace('slots'));
  controller = await startController({ cluster, namespace: herd.namespace, flags });
});

afterAll(async () => {
  await herd.kubectl('delete', 'mc', '--all', '--timeout=45s');
  expect(await controller.stop()).toBe(0);
});

const reasons = async (): Promise<string[]> =>
  (await herd.machines()).map(({ status }) => status?.currentStep?.reason ?? '').sort();

test('machines of a class wait for their turn without a word, those of another do not (hack/spec/vm-operator.md 2.5)', async () => {
  await herd.makeClass('slow', { latency: { create: '4s' } });
  await herd.makeClass('quick');
  for (const name of ['a', 'b']) await herd.apply(herd.alone(name, 'slow'));
  await herd.eventually('one to wait for the other', async () =>
    Bun.deepEquals(await reasons(), ['DriverCallInProgress', 'WaitingForDriverSlot']),
  );
  await herd.apply(herd.alone('c', 'quick'));
  await herd.kubectl('wait', 'mc/c', '--for=condition=NodeHealthy', '--timeout=45s');
  await herd.whenRunning(3);
  expect(await herd.events()).not.toContain('WaitingForDriverSlot');
  const errors = (await herd.machines()).map(({ status }) => status?.errorReason);
  expect(errors).toEqual([undefined, undefined, undefined]);
});
