import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { nodes } from '../../controller/runtime/k8s/core.ts';
import { until } from '../../hack/lib/until.ts';
import { type ControllerProcess, startController } from '../api/support/controllerprocess.ts';
import type { OwnCluster } from '../api/support/controlplane.ts';
import { Herd } from '../api/support/herd.ts';
import { attackAt, type BadServer, kubeconfigTo, makeCluster, startBadServer } from './badtargets.ts';
import { clusterFor } from './tenants.ts';

setDefaultTimeout(240_000);

// hack/decisions/0028 T58, with the chart's rights and policies

const tenant = new Herd();
let cluster: OwnCluster;
let controller: ControllerProcess | undefined;
let bad: BadServer | undefined;

beforeAll(async () => {
  cluster = await clusterFor({ 'a-tenant': tenant });
  bad = await startBadServer(cluster.folder, { program: 'baitserver.ts' });
  await tenant.makeClass('small');
}, 200_000);

afterAll(async () => {
  bad?.child.kill();
  await controller?.stop();
  await cluster?.end();
}, 180_000);

test('a Node that a tenant made up takes none of the operator’s cluster along', async () => {
  const server = bad as BadServer;
  const asking = { tls: { ca: server.ca } };
  const deleted = async () => (await fetch(attackAt(server, 'deleted'), asking)).json() as Promise<string[]>;
  const worker = { metadata: { name: 'operators-worker' }, spec: { providerID: 'virtual:///i-0operators' } };
  await tenant.api.create(nodes, worker);
  controller = await startController({ cluster, namespace: '', flags: ['--machine-safety-orphan-vms-period=1s'] });
  await controller.working();
  const ownServer = attackAt(server, `${tenant.namespace}/i-0operators`);
  await makeCluster(tenant, 'own', kubeconfigTo(server, ownServer));
  await until('his own Node to go', async () => (await deleted()).includes('bait'), { timeoutMs: 60_000 });
  const { metadata } = await tenant.api.get(nodes, worker.metadata);
  expect([metadata.deletionTimestamp, metadata.annotations?.['machine.sapcloud.io/machine']]).toEqual([
    undefined,
    undefined,
  ]);
  expect(await deleted()).toEqual(['bait']);
});
