import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import { type ControllerProcess, startController } from './support/controllerprocess.ts';
import { type OwnCluster, ownControlPlane } from './support/controlplane.ts';
import { type Collector, startCollector } from './support/garbagecollector.ts';
import { Herd } from './support/herd.ts';
import { uidsOf } from './support/restore.ts';
import { startRegistered, type WebhookProcess } from './support/webhookprocess.ts';

/** `kubectl delete --cascade=orphan`, beside a real garbage collector (hack/decisions/0051 L16, C2). */

setDefaultTimeout(180_000);

const SIZE = 2;

const herd = new Herd();
let cluster: OwnCluster;
let collector: Collector;
let controller: ControllerProcess;
let webhook: WebhookProcess;

beforeAll(async () => {
  cluster = await ownControlPlane();
  herd.settle(cluster, await cluster.namespace('cascade'));
  collector = await startCollector(cluster);
  webhook = await startRegistered(cluster);
  controller = await startController({ cluster, namespace: herd.namespace });
  await controller.working();
  await herd.makeClass('small');
}, 120_000);

afterAll(async () => {
  await controller?.kill();
  await webhook?.stop();
  await collector?.end();
  await cluster?.end();
});

beforeEach(async () => {
  await herd.clear();
  await herd.makeDeployment({ replicas: SIZE });
  await herd.whenRunning(SIZE);
});

const orphan = (kind: string, name: string) => herd.kubectl('delete', kind, name, '--cascade=orphan', '--timeout=60s');
const areFree = (objects: readonly KubeObject[]) =>
  objects.every(({ metadata }) => !metadata.ownerReferences?.length && !metadata.deletionTimestamp);

/** The same machines run that ran before, with the same VMs. */
async function expectKept(act: () => Promise<unknown>): Promise<void> {
  const [machines, vms] = [uidsOf(await herd.machines()), uidsOf(await herd.vms())];
  await act();
  await collector.collected();
  expect(uidsOf(await herd.whenRunning(SIZE))).toEqual(machines);
  expect(uidsOf(await herd.vms())).toEqual(vms);
}

describe('what is deleted with --cascade=orphan', () => {
  test('leaves its machines: a MachineSet', async () => {
    await herd.kubectl('delete', 'mcd/pool', '--cascade=orphan', '--timeout=60s');
    const [set] = await herd.sets();
    await expectKept(() => orphan('mcs', set?.metadata.name ?? ''));
    expect(await herd.sets()).toEqual([]);
    expect(areFree(await herd.machines())).toBe(true);
  });

  test('leaves its sets and machines: a MachineDeployment, and one that is made again takes them', async () => {
    const sets = uidsOf(await herd.sets());
    await expectKept(() => orphan('mcd', 'pool'));
    expect(await herd.deployments()).toEqual([]);
    expect(areFree(await herd.sets())).toBe(true);
    await expectKept(async () => {
      await herd.makeDeployment({ replicas: SIZE });
      await herd.kubectl('wait', 'mcd/pool', `--for=jsonpath={.status.availableReplicas}=${SIZE}`, '--timeout=60s');
    });
    expect(uidsOf(await herd.sets())).toEqual(sets);
  });

  test('leaves its machines although the controller comes back only when all is done', async () => {
    await controller.kill();
    await expectKept(async () => {
      await herd.kubectl('delete', 'mcd/pool', '--cascade=orphan', '--wait=false');
      await herd.eventually('the sets to be let go', async () => areFree(await herd.sets()), { timeoutMs: 60_000 });
      controller = await startController({ cluster, namespace: herd.namespace });
      await controller.working();
      await herd.eventually('the deployment to be gone', async () => (await herd.deployments()).length === 0, {
        timeoutMs: 60_000,
      });
    });
  });

  test('takes its machines without that', async () => {
    const machines = await herd.machines();
    await herd.kubectl('delete', 'mcd/pool', '--timeout=60s');
    await herd.whenGone(machines);
  });
});
