import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import { installCrds } from '../../hack/controlplane/manifests.ts';
import { canBuildGo } from '../../hack/tools/gomodule.ts';
import { apiVersion } from '../../schemas/kinds.ts';
import { type ControllerProcess, startController } from './support/controllerprocess.ts';
import { type OwnCluster, ownControlPlane } from './support/controlplane.ts';
import { Herd } from './support/herd.ts';
import { mcmCrds } from './support/mcm.ts';

/** Classes of a kind that MCM had in its early days, in objects that were stored before Drover came. */

setDefaultTimeout(180_000);

const OUR_CRDS = join(import.meta.dir, '../../charts/drover/files/crds');
const OLD = { kind: 'AWSMachineClass', name: 'small' };
const PATIENCE = { timeoutMs: 30_000 };
/** A VM that was there before. */
const UID = '0d944eba-2ac4-450c-8dc2-36c3b2ae3a0f';

describe.skipIf(!canBuildGo)('a class of an older kind', () => {
  const herd = new Herd();
  let cluster: OwnCluster;
  let drover: ControllerProcess;

  beforeAll(async () => {
    cluster = await ownControlPlane({ bare: true });
    await installCrds(cluster.admin, await mcmCrds());
    herd.settle(cluster, await cluster.namespace('herd'));
    await herd.makeDeployment({ replicas: 2, template: templateOf(OLD) });
    await herd.apply({
      apiVersion,
      kind: 'Machine',
      metadata: { name: 'old' },
      spec: { class: OLD, providerID: `virtual:///${UID}` },
    });
    await cluster.kubectl(['create', 'namespace', 'drover-virtual-cloud']);
    await cluster.kubectl(['apply', '-f', '-'], { stdin: JSON.stringify(vm()) });
    await installCrds(cluster.admin, OUR_CRDS);
    drover = await startController({ cluster, namespace: herd.namespace });
    await drover.working();
  }, 600_000);

  afterAll(async () => {
    await drover?.stop();
    await cluster?.end();
  });

  const templateOf = (machineClass: object) => ({
    metadata: { labels: { pool: 'pool' } },
    spec: { class: machineClass },
  });
  const vm = () => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: UID, namespace: 'drover-virtual-cloud', labels: { 'drover.dev/virtual-vm': 'true' } },
    data: { machine: `${herd.namespace}/old`, nodeName: 'old', class: `${herd.namespace}/small`, spec: '{}' },
  });
  const phases = async () =>
    (await herd.machines()).map(({ metadata, status }) => [metadata.name, status?.currentStatus?.phase]);

  test('makes no machine, and an event says what to do', async () => {
    const sentence = 'in place of a class of an older kind, such as AWSMachineClass, make a MachineClass';
    await herd.eventually('an event', async () => (await herd.events()).includes(sentence));
    expect((await herd.machines()).map(({ metadata }) => metadata.name)).toEqual(['old']);
  });

  test('is found by its name as soon as there is a MachineClass of that name, for machines that are there', async () => {
    await herd.makeClass('small');
    await herd.eventually(
      'the old machine to run',
      async () => Bun.deepEquals(await phases(), [['old', 'Running']]),
      PATIENCE,
    );
  });

  test('gives way to a MachineClass in the template', async () => {
    const spec = { template: { spec: { class: { kind: 'MachineClass' } } } };
    await herd.kubectl('patch', 'mcd', 'pool', '--type=merge', '-p', JSON.stringify({ spec }));
    await herd.whenRunning(3, PATIENCE);
  });

  test('does not keep its machine from being deleted', async () => {
    await herd.kubectl('delete', 'mc', 'old', '--timeout=30s');
    await herd.whenRunning(2, PATIENCE);
  });
});
