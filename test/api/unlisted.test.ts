import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { nodes } from '../../controller/runtime/k8s/core.ts';
import { resources } from '../../schemas/kinds.ts';
import { type ControllerProcess, startWorking } from './support/controllerprocess.ts';
import { controlPlane } from './support/controlplane.ts';
import { Herd } from './support/herd.ts';

setDefaultTimeout(180_000);

const herd = new Herd();
let controller: ControllerProcess;
const PATIENCE = { timeoutMs: 60_000, everyMs: 100 };
const SUBJECT = '--serviceaccount=drover-system:poor';

beforeAll(async () => {
  const cluster = await controlPlane();
  herd.settle(cluster, await cluster.namespace('unlisted'));
  await herd.makeClass('small');
  controller = await startWorking(herd);
});

afterAll(async () => {
  await controller.stop();
  await herd.leave();
  await herd.cluster.kubectl(['delete', 'clusterrolebinding', 'poor-rules', 'poor-probes', '--ignore-not-found']);
  await herd.cluster.kubectl(['delete', 'clusterrole', 'poor-probes', '--ignore-not-found']);
});

/** A Cluster that is this one, by an account that may do everything as long as it is bound to that role. */
async function makeEast(): Promise<void> {
  const { kubeconfig } = await herd.cluster.serviceAccount('drover-system', 'poor');
  await herd.kubectl('create', 'clusterrolebinding', 'poor-rules', '--clusterrole=cluster-admin', SUBJECT);
  await herd.kubectl('create', 'clusterrole', 'poor-probes', '--verb=get', '--resource=namespaces,nodes');
  await herd.kubectl('create', 'clusterrolebinding', 'poor-probes', '--clusterrole=poor-probes', SUBJECT);
  const metadata = { name: 'east' };
  const stringData = { kubeconfig: await Bun.file(kubeconfig).text() };
  await herd.apply({ apiVersion: 'v1', kind: 'Secret', metadata, stringData });
  const spec = { kubeconfigSecretRef: metadata };
  await herd.apply({ apiVersion: 'drover.dev/v1alpha1', kind: 'Cluster', metadata, spec });
}

const machine = async () => (await herd.machines())[0];

// hack/decisions/0028 O15
test('a Cluster that is being deleted and answers, but lists no Nodes, holds its Machine, says why, and lets it go by force', async () => {
  await makeEast();
  await herd.apply(herd.alone('held', 'small', { 'cluster.k8s.io/cluster-name': 'east' }));
  await herd.whenRunning(1, PATIENCE);
  await herd.kubectl('delete', 'clusterrolebinding', 'poor-rules');
  await controller.stop();
  controller = await startWorking(herd);
  await herd.kubectl('delete', 'dcl/east', 'mc/held', '--wait=false');
  await herd.eventually(
    'the Cluster to say what it lacks',
    async () => {
      const path = 'jsonpath={.status.conditions[?(@.type=="Reachable")].message}';
      const message = await herd.kubectl('get', 'dcl/east', '-o', path);
      return message.startsWith('its Nodes cannot be listed: its server answers 403 Forbidden');
    },
    PATIENCE,
  );
  await herd.eventually(
    'the Machine to say what it waits for',
    async () => {
      const placed = (await machine())?.status?.conditions?.find(({ type }) => type === 'ClusterReachable');
      return placed?.reason === 'ClusterUnreachable' && Boolean(placed.message?.includes('Nodes cannot be listed'));
    },
    PATIENCE,
  );
  expect((await herd.vms()).length).toBe(1);
  expect((await herd.api.get(nodes, { name: 'held' })).metadata.deletionTimestamp).toBeUndefined();
  await herd.kubectl('label', 'mc/held', 'force-deletion=True');
  await herd.whenRunning(0, PATIENCE);
  await herd.eventually(
    'the Cluster to be gone',
    async () => (await herd.api.list(resources.clusters, { namespace: herd.namespace })).items.length === 0,
    PATIENCE,
  );
  await herd.api.delete(nodes, { name: 'held' });
});
