import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { ownedBy } from '../../controller/model/ownership.ts';
import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import { ANNOTATION_PAUSED, ANNOTATION_UNFREEZE } from '../../schemas/keys.ts';
import { resources } from '../../schemas/kinds.ts';
import type { MachineSet } from '../../schemas/machineset.ts';
import { type ControllerProcess, startController } from './support/controllerprocess.ts';
import { controlPlane } from './support/controlplane.ts';
import { Herd } from './support/herd.ts';

setDefaultTimeout(180_000);

const herd = new Herd();
const PATIENCE = { timeoutMs: 40_000, everyMs: 50 };
/** With a long period a freeze ends only when somebody asks, with a short one by itself. */
const PERIODS = { long: '1h', short: '100ms' };
let controller: ControllerProcess;

async function start(period: keyof typeof PERIODS): Promise<void> {
  const flags = [`--machine-safety-overshooting-period=${PERIODS[period]}`, '--leader-elect=false'];
  controller = await startController({ cluster: herd.cluster, namespace: herd.namespace, flags });
  await controller.working();
}

async function stop(): Promise<void> {
  expect(await controller.stop()).toBe(0);
}

beforeAll(async () => {
  const cluster = await controlPlane();
  herd.settle(cluster, await cluster.namespace('overshoot'));
  await start('long');
});

beforeEach(async () => {
  await herd.clear();
  await herd.kubectl('delete', 'events', '--all');
  await herd.makeClass('small');
});

afterAll(async () => {
  await stop();
  await herd.leave();
});

async function theSet(): Promise<MachineSet> {
  const [set] = await herd.sets();
  if (!set) throw new Error('there is no set');
  return set;
}

const theDeployment = () => herd.api.get(resources.machineDeployments, { namespace: herd.namespace, name: 'pool' });
const named = (kind: 'mcs' | 'mcd', name: string) => `${kind}/${name}`;
const label = ({ metadata }: KubeObject) => metadata.labels?.['freeze'];

/** Why the set is frozen, and what its label says; nothing when it is not. */
async function freezeOfSet(): Promise<Array<string | undefined>> {
  const set = await theSet();
  const told = set.status?.machineSetCondition?.find(({ type }) => type === 'Frozen');
  return [told?.reason, label(set)].filter((one) => one !== undefined);
}

async function freezeOfDeployment(): Promise<Array<string | undefined>> {
  const deployment = await theDeployment();
  const told = deployment.status?.conditions?.find(({ type }) => type === 'Frozen');
  return [told?.reason, label(deployment)].filter((one) => one !== undefined);
}

/** Of the set, then of its deployment. */
const COLUMNS = 'FROZEN True FROZEN True';
const OVERSHOT = ['OverShootingReplicaCount', 'True'];
const SYNCED = ['MachineDeploymentStateSync', 'True'];

const whenFrozen = (set: string[], deployment: string[]): Promise<void> =>
  herd.eventually(
    `freezes ${set} and ${deployment}`,
    async () => Bun.deepEquals([await freezeOfSet(), await freezeOfDeployment()], [set, deployment]),
    PATIENCE,
  );

/** Somebody makes machines with the set's labels, and with an owner reference to it. */
async function makeFor(set: MachineSet, count: number): Promise<string[]> {
  const names = Array.from({ length: count }, (_, index) => `strange-${index}`);
  const labels: Record<string, string> = { ...set.spec?.template?.metadata?.labels };
  for (const name of names) {
    const machine = herd.alone(name, 'small', labels);
    const metadata = { ...machine.metadata, ownerReferences: [ownedBy(set, 'MachineSet')] };
    await herd.apply({ ...machine, metadata });
  }
  return names;
}

const pause = (set: MachineSet, value: string): Promise<string> =>
  herd.kubectl('annotate', named('mcs', set.metadata.name), `${ANNOTATION_PAUSED}${value}`);

/** While the set is paused, so that it sees them together. */
async function overshoot(count: number): Promise<string[]> {
  const set = await theSet();
  await pause(set, '=');
  const names = await makeFor(set, count);
  await pause(set, '-');
  return names;
}

const reasons = async (): Promise<string[]> =>
  (await herd.events()).split('\n').map((line) => line.split(' ')[2] ?? '');

const whenTold = (reason: string): Promise<void> =>
  herd.eventually(`an event ${reason}`, async () => (await reasons()).includes(reason), PATIENCE);

describe('machines that somebody makes for a set, beyond its limit (hack/decisions/0000 7, hack/spec/mcm.md 8.1)', () => {
  test('freeze it and its deployment; it makes none until somebody asks', async () => {
    await herd.makeDeployment({ replicas: 2 });
    const before = await herd.whenRunning(2);
    const strange = await overshoot(4);
    await whenFrozen(OVERSHOT, SYNCED);
    for (const reason of ['FrozeMachineSet', 'FrozeMachineDeployment']) await whenTold(reason);
    await herd.whenRunning(2, PATIENCE);
    const known = new Set([...before.map(({ metadata }) => metadata.name), ...strange]);
    for (const { metadata } of await herd.machines())
      await herd.kubectl('delete', 'mc', metadata.name, '--timeout=60s');
    await whenTold('Frozen');
    expect((await herd.kubectl('get', 'mcs,mcd', '-o', 'wide')).match(/FROZEN|True/g)?.join(' ')).toBe(COLUMNS);
    expect((await herd.machines()).filter(({ metadata }) => !known.has(metadata.name))).toEqual([]);
    expect((await controller.lines()).some((line) => line.includes('machines that would be made: 1'))).toBe(true);
    const scraped = await (await fetch(`${controller.url}/metrics`)).text();
    expect(scraped).toMatch(/mcm_machine_set_status_condition\{[^}]*condition="Frozen"[^}]*\} 1/);
    await herd.kubectl('annotate', 'mcd/pool', `${ANNOTATION_UNFREEZE}=`);
    await herd.whenRunning(2, PATIENCE);
    await whenFrozen([], []);
    for (const reason of ['UnfrozeMachineSet', 'UnfrozeMachineDeployment']) await whenTold(reason);
    const wishes = [await theSet(), await theDeployment()].map(
      (one) => one.metadata.annotations?.[ANNOTATION_UNFREEZE],
    );
    expect(wishes).toEqual([undefined, undefined]);
  });

  test('hold a rollout and a scale-up, while a scale-down goes on (hack/decisions/0000 3, hack/spec/mcm.md 13.18)', async () => {
    await herd.makeClass('large');
    await herd.makeDeployment({ replicas: 2 });
    await herd.whenRunning(2);
    await overshoot(4);
    await whenFrozen(OVERSHOT, SYNCED);
    const spec = { replicas: 1, template: { spec: { class: { kind: 'MachineClass', name: 'large' } } } };
    await herd.kubectl('patch', 'mcd/pool', '--type=merge', '-p', JSON.stringify({ spec }));
    await whenTold('Frozen');
    expect(await herd.sets()).toHaveLength(1);
    await herd.kubectl('patch', 'mcd/pool', '--type=merge', '-p', JSON.stringify({ spec: { template: small } }));
    await herd.whenRunning(1, PATIENCE);
    await herd.kubectl('scale', 'mcd/pool', '--replicas=3');
    await herd.kubectl('wait', 'mcd/pool', '--for=jsonpath={.status.observedGeneration}=4', '--timeout=40s');
    expect((await theSet()).spec?.replicas).toBe(1);
    await herd.kubectl('annotate', named('mcs', (await theSet()).metadata.name), `${ANNOTATION_UNFREEZE}=`);
    await herd.whenRunning(3, PATIENCE);
    await whenFrozen([], []);
  });

  test('are seen by a controller that was away, and the freeze ends by itself when they are gone', async () => {
    await herd.makeDeployment({ replicas: 2 });
    await herd.whenRunning(2);
    await herd.kubectl('wait', 'mcd/pool', '--for=jsonpath={.status.readyReplicas}=2', '--timeout=40s');
    await stop();
    await makeFor(await theSet(), 4);
    await start('short');
    for (const reason of ['FrozeMachineSet', 'UnfrozeMachineSet', 'UnfrozeMachineDeployment']) await whenTold(reason);
    await herd.whenRunning(2, PATIENCE);
    await whenFrozen([], []);
    await stop();
    await start('long');
  });
});

const small = { spec: { class: { kind: 'MachineClass', name: 'small' } } };

describe('no overshoot', () => {
  test('is a rolling update with all of its surge, a Recreate beside it, and a scale-down from 8 to 1 (hack/spec/mcm.md 13.18)', async () => {
    await herd.makeClass('large');
    await herd.makeDeployment({ replicas: 1, name: 'recreated', strategy: { type: 'Recreate' } });
    const rollingUpdate = { maxSurge: 4, maxUnavailable: 0 };
    await herd.makeDeployment({ replicas: 4, strategy: { type: 'RollingUpdate', rollingUpdate } });
    await herd.whenRunning(5, PATIENCE);
    const spec = { template: { spec: { class: { kind: 'MachineClass', name: 'large' } } } };
    await herd.kubectl('patch', 'mcd/pool', '--type=merge', '-p', JSON.stringify({ spec }));
    await herd.kubectl('wait', 'mcd/pool', '--for=jsonpath={.status.updatedReplicas}=4', '--timeout=40s');
    await herd.whenRunning(5, PATIENCE);
    await herd.kubectl('scale', 'mcd/pool', '--replicas=8');
    await herd.whenRunning(9, PATIENCE);
    await herd.kubectl('scale', 'mcd/pool', '--replicas=1');
    await herd.whenRunning(2, PATIENCE);
    expect((await reasons()).filter((reason) => reason.includes('Fro'))).toEqual([]);
  });
});

describe('the label freeze that somebody puts on', () => {
  test('holds a deployment until it is taken off, and the condition tells so', async () => {
    await herd.makeDeployment({ replicas: 1 });
    await herd.whenRunning(1);
    await herd.kubectl('label', 'mcd/pool', 'freeze=True');
    await herd.kubectl('wait', 'mcd/pool', '--for=condition=Frozen', '--timeout=40s');
    await herd.kubectl('scale', 'mcd/pool', '--replicas=2');
    await whenTold('Frozen');
    expect(await freezeOfDeployment()).toEqual(['FrozenByLabel', 'True']);
    expect((await theSet()).spec?.replicas).toBe(1);
    await herd.kubectl('label', 'mcd/pool', 'freeze-');
    await herd.whenRunning(2, PATIENCE);
    await herd.eventually('the condition to go', async () => (await freezeOfDeployment()).length === 0, PATIENCE);
  });
});
