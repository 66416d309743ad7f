import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { type ControllerProcess, startController } from './support/controllerprocess.ts';
import { type OwnCluster, ownControlPlane } from './support/controlplane.ts';
import { type Collector, startCollector } from './support/garbagecollector.ts';
import { Herd } from './support/herd.ts';
import { lose } from './support/restore.ts';
import { EAGER } from './support/sweeps.ts';
import { startRegistered, type WebhookProcess } from './support/webhookprocess.ts';

/** hack/decisions/0028 O28: what is applied once more, since the first run stopped half way, is as after the first: nothing is deleted. */

setDefaultTimeout(180_000);

const herd = new Herd();
let cluster: OwnCluster;
let collector: Collector;
let controller: ControllerProcess;
let webhook: WebhookProcess;

beforeAll(async () => {
  cluster = await ownControlPlane();
  herd.settle(cluster, await cluster.namespace('applied'));
  collector = await startCollector(cluster);
  webhook = await startRegistered(cluster);
  controller = await startController({ cluster, namespace: herd.namespace, flags: EAGER });
  await controller.working();
  await herd.makeClass('small');
  await herd.makeDeployment({ replicas: 3 });
  await herd.whenRunning(3);
}, 120_000);

afterAll(async () => {
  await controller?.kill();
  await webhook?.stop();
  await collector?.end();
  await cluster?.end();
});

const left = async () => {
  await collector.collected();
  const all = [...(await herd.sets()), ...(await herd.machines())];
  return all.map(({ kind, metadata }) => `${kind} ${metadata.deletionTimestamp ? 'is being deleted' : 'is there'}`);
};

/** What tools leave that take out what the API server writes itself, so that objects can be applied. */
function cleaned(saved: string): string {
  const list = JSON.parse(saved);
  for (const { metadata } of list.items)
    for (const key of ['uid', 'resourceVersion', 'creationTimestamp', 'generation', 'managedFields'])
      delete metadata[key];
  return JSON.stringify(list);
}

const savedClean = async () =>
  cleaned(await herd.kubectl('get', 'machineclasses,machinedeployments,machinesets,machines', '-o', 'json'));

async function applied(saved: string): Promise<void> {
  const { code, stderr } = await cluster.kubectl(['apply', '-f', '-'], { stdin: saved });
  expect([stderr, code]).toEqual([stderr, 0]);
}

const names = async () => (await herd.vms()).map(({ metadata }) => metadata.uid).sort();

// The first of them goes on from a herd that is well; so does the second.
test('a backup with the owners that it had is applied once more where the controller works again', async () => {
  const [saved, vms] = [await savedClean(), await names()];
  await controller.kill();
  await lose(herd.api);
  await applied(saved);
  controller = await startController({ cluster, namespace: herd.namespace, flags: EAGER });
  await controller.working();
  await herd.whenRunning(3);
  expect((await left()).filter((one) => one.endsWith('deleted'))).toEqual([]);
  expect(await names()).toEqual(vms);
  await applied(saved);
  expect((await left()).filter((one) => one.endsWith('deleted'))).toEqual([]);
  expect(await names()).toEqual(vms);
});

test('a backup with the owners that it had is applied twice before the controller is started', async () => {
  const saved = await savedClean();
  await controller.kill();
  await lose(herd.api);
  await applied(saved);
  expect((await left()).filter((one) => one.endsWith('deleted'))).toEqual([]);
  await applied(saved);
  expect((await left()).filter((one) => one.endsWith('deleted'))).toEqual([]);
});
