import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { until } from '../../hack/lib/until.ts';
import { type ControllerProcess, startController } from '../api/support/controllerprocess.ts';
import type { OwnCluster } from '../api/support/controlplane.ts';
import { Herd } from '../api/support/herd.ts';
import { attackAt, type BadServer, kubeconfigTo, makeCluster, startBadServer } from './badtargets.ts';
import { clusterFor } from './tenants.ts';

setDefaultTimeout(240_000);

// hack/decisions/0028 T5

/** More Clusters than eighths of the workers, and more machines than workers. */
const CLUSTERS = 10;
const MACHINES = 100;
/** Workers of a controller that is told nothing else. */
const WORKERS = 50;
const PATIENCE = { timeoutMs: 90_000, everyMs: 250 };

const flood = new Herd();
const quiet = new Herd();
let cluster: OwnCluster;
let controller: ControllerProcess | undefined;
let bad: BadServer | undefined;

beforeAll(async () => {
  cluster = await clusterFor({ 'a-flood': flood, quiet });
  bad = await startBadServer(cluster.folder);
  for (const herd of [flood, quiet]) {
    const userData = '--from-literal=userData=<<BOOTSTRAP_TOKEN>>';
    await herd.kubectl('create', 'secret', 'generic', 'asks', userData);
    await herd.apply({
      apiVersion: 'machine.sapcloud.io/v1alpha1',
      kind: 'MachineClass',
      metadata: { name: 'small' },
      provider: 'virtual',
      providerSpec: {},
      secretRef: { name: 'asks' },
    } as never);
  }
  controller = await startController({ cluster, namespace: '' });
  await controller.working();
  const account = await cluster.serviceAccount('drover-system', 'drover-controller');
  await makeCluster(quiet, 'sound', await Bun.file(account.kubeconfig).text());
  for (let at = 0; at < CLUSTERS; at++)
    await makeCluster(flood, `bad-${at}`, kubeconfigTo(bad, attackAt(bad, 'tokens')));
}, 240_000);

afterAll(async () => {
  bad?.child.kill();
  await controller?.stop();
  await cluster?.end();
}, 180_000);

const makeMachine = (herd: Herd, name: string, target: string): Promise<void> =>
  herd.apply(herd.alone(name, 'small', { 'cluster.k8s.io/cluster-name': target }));

const phaseOf = async (herd: Herd): Promise<string | undefined> =>
  (await herd.machines())[0]?.status?.currentStatus?.phase;

/** How many writes to the bad servers wait for an answer; one of each Cluster asks for its policies. */
async function hanging(): Promise<number> {
  const server = bad as BadServer;
  return (await fetch(`${attackAt(server, 'hanging')}/`, { tls: { ca: server.ca } })).json() as Promise<number>;
}

test('ten Clusters whose servers never answer keep no worker from the machine of another namespace', async () => {
  for (let at = 0; at < MACHINES; at++) await makeMachine(flood, `m-${at}`, `bad-${at % CLUSTERS}`);
  await until('the flood to hang', async () => (await hanging()) >= WORKERS / 2, PATIENCE);
  for (const name of ['one', 'two', 'three']) {
    await makeMachine(quiet, name, 'sound');
    const often = { timeoutMs: 20_000, everyMs: 100 };
    await until(`the machine ${name} to run`, async () => (await phaseOf(quiet)) === 'Running', often);
    await quiet.kubectl('delete', `mc/${name}`, '--timeout=45s');
  }
  expect(await hanging()).toBeLessThanOrEqual(WORKERS / 2 + CLUSTERS);
  expect(await flood.phases()).not.toHaveProperty('Running');
});
