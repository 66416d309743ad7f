import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { type Pod, pods } from '../../controller/runtime/k8s/workload.ts';
import { givenAutoscaler, type Scaling, startScaling } from './support/autoscaler.ts';
import { type ControllerProcess, startWorking } from './support/controllerprocess.ts';
import { type OwnCluster, ownControlPlane } from './support/controlplane.ts';
import { Herd } from './support/herd.ts';
import { startRegistered, type WebhookProcess } from './support/webhookprocess.ts';

/**
 * The upstream cluster-autoscaler and a real scheduler, with the set-up of charts/drover/AUTOSCALER.md (hack/decisions/0051 U1).
 * A pod takes three of the four CPUs of a machine.
 */

setDefaultTimeout(180_000);

const PATIENCE = { timeoutMs: 60_000, everyMs: 250 };
const BOUND = 'machine.sapcloud.io/cluster-api-autoscaler-node-group';
const REPLICAS = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'work', uid: 'work', controller: true };

const herd = new Herd();
let cluster: OwnCluster;
let webhook: WebhookProcess;
let controller: ControllerProcess;
let scaling: Scaling;

const work = async (): Promise<Pod[]> => (await herd.api.list(pods, { namespace: herd.namespace })).items;

async function begin(...names: string[]): Promise<void> {
  const containers = [{ name: 'c', image: 'none', resources: { requests: { cpu: '3' } } }];
  for (const name of names) {
    const metadata = { namespace: herd.namespace, name, ownerReferences: [REPLICAS] };
    const pod: Pod = { metadata, spec: { containers } as object };
    await herd.api.create(pods, pod);
  }
}

const finish = async (...names: string[]) => {
  for (const name of names) await herd.api.delete(pods, { namespace: herd.namespace, name }, { gracePeriodSeconds: 0 });
};

/** Name of the Node of each pod that has one. */
const places = async (): Promise<Record<string, string>> =>
  Object.fromEntries(
    (await work()).flatMap(({ metadata, spec }) => (spec?.nodeName ? [[metadata.name, spec.nodeName]] : [])),
  );

const whenPlaced = (count: number) =>
  herd.eventually(`${count} pods on Nodes`, async () => Object.keys(await places()).length === count, PATIENCE);

const names = async (count: number) =>
  (await herd.whenRunning(count, PATIENCE)).map(({ metadata }) => metadata.name).sort();

/** A node group of this size and these bounds. */
async function group(replicas: number, [least, most]: readonly [number, number]): Promise<void> {
  const labels = { pool: 'pool' };
  await herd.apply({
    apiVersion: 'machine.sapcloud.io/v1alpha1',
    kind: 'MachineDeployment',
    metadata: { name: 'pool', annotations: { [`${BOUND}-min-size`]: `${least}`, [`${BOUND}-max-size`]: `${most}` } },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { class: { kind: 'MachineClass', name: 'sized' } } },
    },
  } as never);
}

const makeSized = (name: string, providerSpec: object = {}) =>
  herd.apply({
    apiVersion: 'machine.sapcloud.io/v1alpha1',
    kind: 'MachineClass',
    metadata: { name },
    provider: 'virtual',
    providerSpec,
    nodeTemplate: { capacity: { cpu: '4', memory: '16Gi', gpu: '0' }, instanceType: 'm', region: 'r', zone: 'z' },
  } as never);

const roll = (name: string) => {
  const patch = { spec: { template: { spec: { class: { name } } } } };
  return herd.kubectl('patch', 'mcd/pool', '--type=merge', '-p', JSON.stringify(patch));
};

/** Whether a pod that has no Node has heard that the group may not grow. */
async function isToldFull(): Promise<boolean> {
  const waiting = new Set((await work()).filter(({ spec }) => !spec?.nodeName).map(({ metadata }) => metadata.uid));
  const { items } = JSON.parse(await herd.kubectl('get', 'events', '-o', 'json')) as { items: Told[] };
  return items.some(({ message, involvedObject }) => waiting.has(involvedObject?.uid) && FULL.test(message ?? ''));
}

interface Told {
  message?: string;
  involvedObject?: { uid?: string };
}

const FULL = /max node group size reached/;

describe.skipIf(!givenAutoscaler)('the upstream cluster-autoscaler', () => {
  beforeAll(async () => {
    cluster = await ownControlPlane();
    herd.settle(cluster, await cluster.namespace('herd'));
    webhook = await startRegistered(cluster);
    controller = await startWorking({ cluster, namespace: herd.namespace });
    await makeSized('sized');
    await makeSized('full', { capacity: 0 });
    scaling = await startScaling(herd);
  });

  afterAll(async () => {
    await scaling?.end();
    await controller?.stop();
    await webhook?.stop();
    await cluster?.end();
  });

  beforeEach(async () => {
    await herd.clear();
    await herd.kubectl('delete', 'pods', '--all', '--force', '--grace-period=0');
  });

  test('makes machines for pods, up to the bound and no more', async () => {
    await group(1, [1, 4]);
    await herd.whenRunning(1, PATIENCE);
    await begin('a', 'b', 'c', 'd', 'e');
    await whenPlaced(4);
    expect(await names(4)).toHaveLength(4);
    await herd.eventually('the fifth to be told why', isToldFull, PATIENCE);
    expect((await herd.deployments())[0]?.spec.replicas).toBe(4);
  });

  test('removes the machine that is empty, whichever it is, and none that is in use, down to the bound', async () => {
    await group(4, [1, 4]);
    await begin('a', 'b', 'c', 'd');
    await whenPlaced(4);
    let left = await names(4);
    for (const pod of ['c', 'a', 'd']) {
      const place = (await places())[pod];
      await finish(pod);
      left = left.filter((name) => name !== place);
      expect(await names(left.length)).toEqual(left);
    }
    const told = (await scaling.said()).length;
    await finish('b');
    const keeps = async () => (await scaling.said()).slice(told).includes('min size reached');
    await herd.eventually('the last one to be seen empty', keeps, PATIENCE);
    expect(await names(1)).toEqual(left);
  });

  test('begins at none, by what Drover tells of the class, and ends there', async () => {
    await group(0, [0, 4]);
    await begin('a', 'b');
    await whenPlaced(2);
    await herd.whenRunning(2, PATIENCE);
    await finish('a', 'b');
    await herd.whenRunning(0, PATIENCE);
  });

  /** Three machines in use, amid a rollout that cannot go on; answers their names. */
  const rolling = async () => {
    await group(3, [1, 4]);
    await begin('a', 'b', 'c');
    await whenPlaced(3);
    const before = await names(3);
    await roll('full');
    await herd.eventually('the rollout to be under way', async () => (await herd.sets()).length === 2, PATIENCE);
    return before;
  };

  test('takes nothing away during a rollout, and the right one after it', async () => {
    const before = await rolling();
    const empty = (await places())['b'] ?? '';
    await finish('b');
    const skipped = async () =>
      (await scaling.said()).includes(`${empty} will be skipped as it is currently under rollout`);
    await herd.eventually('it to see the rollout', skipped, PATIENCE);
    expect((await herd.machines()).filter(({ status }) => status?.currentStatus?.phase === 'Running')).toHaveLength(3);
    await roll('sized');
    expect(await names(2)).toEqual(before.filter((name) => name !== empty));
  });

  test('stays within the bounds during a rollout, and what it asked for comes', async () => {
    const before = await rolling();
    await begin('d', 'e');
    const replicas = async () => (await herd.deployments())[0]?.spec.replicas;
    await herd.eventually('it to ask for a machine', async () => (await replicas()) === 4, PATIENCE);
    await herd.eventually('the pod without one to be told why', isToldFull, PATIENCE);
    expect(await replicas()).toBe(4);
    await roll('sized');
    await whenPlaced(4);
    expect(await names(4)).toEqual(expect.arrayContaining(before));
  });
});
