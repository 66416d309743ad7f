import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { timestamp } from '../../controller/runtime/k8s/object.ts';
import { resources } from '../../schemas/kinds.ts';
import { type ControllerProcess, startController } from './support/controllerprocess.ts';
import { type OwnCluster, ownControlPlane } from './support/controlplane.ts';
import { Herd } from './support/herd.ts';
import { admitHerders, startRegistered, type WebhookProcess } from './support/webhookprocess.ts';

/**
 * Pipelines replace classes by their files over and over, as Gardener's worker controller does, also while a class waits for its
 * machines, or for a VM that may come (hack/decisions/0051 U36, U37).
 */

setDefaultTimeout(120_000);

const herd = new Herd();
let cluster: OwnCluster;
let controller: ControllerProcess;
let webhook: WebhookProcess;

beforeAll(async () => {
  cluster = await ownControlPlane();
  herd.settle(cluster, await cluster.namespace('worker'));
  webhook = await startRegistered(cluster);
  await admitHerders(cluster, herd.namespace);
  controller = await startController({ cluster, namespace: herd.namespace, flags: ['--leader-elect=false'] });
  await controller.working();
}, 120_000);

afterAll(async () => {
  await controller?.kill();
  await webhook?.stop();
  await cluster?.end();
});

const classOf = (name: string) => ({
  apiVersion: 'machine.sapcloud.io/v1alpha1',
  kind: 'MachineClass',
  metadata: { name, labels: { pool: name } },
  provider: 'virtual',
  providerSpec: {},
});

type Manifest = ReturnType<typeof classOf>;

/** As somebody who may write all of our kinds, and override nothing. */
async function write(verb: 'create' | 'replace', manifest: Manifest): Promise<void> {
  const args = ['-n', herd.namespace, verb, '-f', '-', '--as=alice'];
  expect(await cluster.kubectl(args, { stdin: JSON.stringify(manifest) })).toMatchObject({ code: 0, stderr: '' });
}

const stored = ({ metadata: { name } }: Manifest) =>
  herd.api.get(resources.machineClasses, { namespace: herd.namespace, name });

test('a class is replaced while it is being deleted, and still says who made it', async () => {
  const pool = classOf('pool');
  await write('create', pool);
  await herd.makeDeployment({ replicas: 1, class: 'pool' });
  await herd.whenRunning(1);
  await herd.kubectl('delete', 'mcc', 'pool', '--wait=false');
  await write('replace', pool);
  const { metadata } = await stored(pool);
  expect(metadata.deletionTimestamp).toBeDefined();
  expect(metadata.annotations).toMatchObject({ 'drover.dev/created-by': 'alice' });
  await herd.kubectl('delete', 'mcd', 'pool', '--timeout=60s');
});

test('one that is replaced still waits for a VM that may come, until somebody says that none does', async () => {
  const quick = classOf('quick');
  await write('create', quick);
  const vmExpectedUntil = timestamp(Date.now() + 300_000);
  const note = (until: string | null) =>
    herd.api.patch(
      resources.machineClasses,
      { namespace: herd.namespace, name: 'quick' },
      { type: 'merge', body: { status: { vmExpectedUntil: until } } },
      { subresource: 'status' },
    );
  await note(vmExpectedUntil);
  await write('replace', quick);
  await herd.eventually('it to be held', async () => (await stored(quick)).metadata.finalizers?.length === 1);
  await herd.kubectl('delete', 'mcc', 'quick', '--wait=false');
  await write('replace', quick);
  const held = await stored(quick);
  expect(held).toMatchObject({ metadata: { deletionTimestamp: expect.anything() }, status: { vmExpectedUntil } });
  // hack/decisions/0028 T78
  const again = { ...held, metadata: { name: 'again' } } as never;
  await write('create', again);
  expect((await stored(again)).status?.vmExpectedUntil).toBeUndefined();
  await note(null);
  await herd.kubectl('wait', 'mcc/quick', '--for=delete', '--timeout=30s');
});
