import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import type { RunningDriver } from '../../controller/drivers/sdk/driver.ts';
import { DriverError } from '../../controller/drivers/sdk/errors.ts';
import { nodes } from '../../controller/runtime/k8s/core.ts';
import type { OwnCluster } from '../api/support/controlplane.ts';
import { Herd } from '../api/support/herd.ts';
import { type OwnController, startInProcess } from '../api/support/inprocesscontroller.ts';
import { clusterFor } from './tenants.ts';

/**
 * A tenant makes a class of a provider that is nobody's, names a Node that no machine has, and rolls; and has a Machine of the name
 * that is recorded on a Node made anew, whose driver finds no VM (hack/decisions/0028 T22).
 */

setDefaultTimeout(180_000);

const mallory = new Herd();
const ID = 'names:///admins/web-0';
const OLD = { pool: 'pool', age: 'old' };
let cluster: OwnCluster;
let controller: OwnController;

const notFound = () => Promise.reject(new DriverError('NotFound', 'there is no such VM'));

const driver: RunningDriver = {
  name: 'names',
  providerSpec: {},
  start: async () => {},
  createMachine: notFound,
  getMachineStatus: notFound,
  deleteMachine: async () => ({}),
};

/** The Node as it is, but for what changes by itself. */
async function standing() {
  const { metadata, spec } = await mallory.api.get(nodes, { name: 'web-0' });
  return { uid: metadata.uid, labels: metadata.labels, annotations: metadata.annotations, spec };
}

/** A Machine of the tenant that claims the Node. */
function claiming(name: string, machineClass: string, labels: Record<string, string> = {}) {
  const { spec, ...rest } = mallory.alone(name, machineClass, { node: 'web-0', ...labels });
  return { ...rest, spec: { ...(spec as object), providerID: ID } };
}

const isAdopted = async () =>
  (await mallory.machines()).some(({ metadata: { ownerReferences = [] } }) => ownerReferences.length > 0);

/** All of the deployment was looked at, as it is now. */
async function whenSeen(): Promise<void> {
  await mallory.kubectl('patch', 'mcd/pool', '--type=merge', '-p', '{"spec":{"minReadySeconds":7}}');
  await mallory.eventually('the deployment to be seen', async () => {
    const [pool] = await mallory.deployments();
    return pool !== undefined && pool.status?.observedGeneration === pool.metadata.generation;
  });
}

beforeAll(async () => {
  cluster = await clusterFor({ mallorys: mallory });
  await mallory.makeClass('small', {}, 'names');
  await mallory.makeClass('bogus', {}, 'nobody');
  controller = await startInProcess(new Herd().settle(cluster, ''), driver, {});
  await mallory.api.create(nodes, { metadata: { name: 'web-0' }, spec: { providerID: ID } });
}, 120_000);

afterAll(async () => {
  controller?.end();
  await cluster?.end();
});

test('a class that nobody serves has no Node marked that no machine controller has named', async () => {
  const before = await standing();
  await mallory.apply(claiming('grab', 'bogus', OLD));
  const template = { metadata: { labels: OLD }, spec: { class: { kind: 'MachineClass', name: 'bogus' } } };
  await mallory.apply({
    apiVersion: 'machine.sapcloud.io/v1alpha1',
    kind: 'MachineSet',
    metadata: { name: 'old', labels: OLD },
    spec: { replicas: 1, selector: { matchLabels: OLD }, template },
  });
  await mallory.eventually('the set to adopt', isAdopted);
  await mallory.makeDeployment({ replicas: 1, class: 'bogus' });
  await mallory.eventually('a new set', async () => (await mallory.sets()).length === 2);
  await whenSeen();
  expect(await standing()).toEqual(before);
});

test('a record on a Node gives it to nobody who makes the Machine of that name anew', async () => {
  const record = ['machine.sapcloud.io/machine=again', `machine.sapcloud.io/cluster-namespace=${mallory.namespace}`];
  await mallory.kubectl('annotate', 'node', 'web-0', ...record);
  const before = await standing();
  await mallory.apply(claiming('again', 'small'));
  const step = ['get', 'mc/again', '-o', 'jsonpath={.status.currentStep.name}'];
  await mallory.eventually('the claim to be judged', async () => (await mallory.kubectl(...step)) !== '');
  await mallory.kubectl('delete', 'mc/again', '--timeout=40s');
  expect(await standing()).toEqual(before);
});
