import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { nodes } from '../../controller/runtime/core.ts';
import { controlPlane } from './cluster.ts';
import { type ControllerProcess, startController } from './controller.ts';
import { Herd } from './herd.ts';
import { Workload } from './workload.ts';

setDefaultTimeout(60_000);
const herd = new Herd();
const workload = new Workload(herd);
let controller: ControllerProcess;

async function start(): Promise<void> {
  const { cluster, namespace } = herd;
  controller = await startController({ cluster, namespace, flags: ['--leader-elect=false'] });
  await controller.working();
}

beforeAll(async () => {
  const cluster = await controlPlane();
  herd.settle(cluster, await cluster.namespace('hooks'));
  await herd.kubectl('create', 'serviceaccount', 'default');
  await start();
});

beforeEach(async () => {
  await herd.makeClass('small');
  await herd.apply(herd.alone('m', 'small'));
  await herd.whenRunning(1);
});

afterEach(async () => {
  await workload.clear();
  // One that is leaving may be gone between the list and the write.
  await herd.kubectl('label', 'mc', '--all', 'force-deletion=true', '--overwrite').catch(() => {});
  await herd.kubectl('delete', 'mc', '--all', '--timeout=20s');
});

afterAll(() => controller.kill());

const leave = () => herd.kubectl('delete', 'mc', 'm', '--wait=false');
const gone = () => herd.kubectl('wait', 'mc/m', '--for=delete', '--timeout=20s');

describe('hooks of Cluster API (CKV A1.12 L10)', () => {
  test('hold the drain and the VM until they are taken off', async () => {
    const [drain, terminate] = ['pre-drain', 'pre-terminate'].map(
      (when) => `${when}.delete.hook.machine.cluster.x-k8s.io/test`,
    );
    await workload.run('a');
    await herd.kubectl('annotate', 'mc', 'm', `${drain}=me`, `${terminate}=me`);
    await leave();
    await herd.whenDecided('m', 'PreDrainHook');
    expect(await workload.pods()).toHaveLength(1);
    expect((await herd.api.get(nodes, { name: 'm' })).spec?.unschedulable).toBeUndefined();
    await herd.kubectl('annotate', 'mc', 'm', `${drain}-`);
    await herd.whenDecided('m', 'PreTerminateHook');
    expect([(await workload.pods()).length, (await herd.vms()).length]).toEqual([0, 1]);
    await herd.kubectl('annotate', 'mc', 'm', `${terminate}-`);
    await gone();
  });

  // hack/decisions/0051 U11
  test('hold a machine whose Node somebody deleted', async () => {
    const hook = 'pre-drain.delete.hook.machine.cluster.x-k8s.io/test';
    await herd.kubectl('annotate', 'mc', 'm', `${hook}=me`);
    await controller.kill();
    await herd.api.delete(nodes, { name: 'm' });
    await leave();
    await start();
    await herd.whenDecided('m', 'PreDrainHook');
    expect(await herd.vms()).toHaveLength(1);
    await herd.kubectl('annotate', 'mc', 'm', `${hook}-`);
    await gone();
  });

  test('hold a machine whose VM is to stay', async () => {
    const hook = 'pre-terminate.delete.hook.machine.cluster.x-k8s.io/test';
    const policy = (value: string) =>
      herd.kubectl('patch', 'mc', 'm', '--type=merge', '-p', `{"spec":{"deletionPolicy":"${value}"}}`);
    await herd.kubectl('annotate', 'mc', 'm', `${hook}=me`);
    await policy('Retain');
    await leave();
    await herd.whenDecided('m', 'PreTerminateHook');
    await policy('Delete');
    await herd.kubectl('annotate', 'mc', 'm', `${hook}-`);
    await gone();
  });
});

// hack/decisions/0051 U14
test('a machine that is excluded from drains goes without one', async () => {
  const hook = 'pre-terminate.delete.hook.machine.cluster.x-k8s.io/test';
  await workload.run('a');
  await herd.kubectl('annotate', 'mc', 'm', 'machine.cluster.x-k8s.io/exclude-node-draining=', `${hook}=me`);
  await leave();
  await herd.whenDecided('m', 'PreTerminateHook');
  expect(await workload.pods()).toHaveLength(1);
  expect((await herd.api.get(nodes, { name: 'm' })).spec?.unschedulable).toBeUndefined();
  await herd.kubectl('annotate', 'mc', 'm', `${hook}-`);
  await gone();
});
