import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { nodes } from '../../controller/runtime/k8s/core.ts';
import { LABEL_NODE } from '../../schemas/keys.ts';
import type { Machine } from '../../schemas/machine.ts';
import { type ControllerProcess, startController } from '../api/support/controllerprocess.ts';
import { type OwnCluster, ownControlPlane } from '../api/support/controlplane.ts';
import { Herd } from '../api/support/herd.ts';

setDefaultTimeout(180_000);

// hack/decisions/0028 T3, hack/decisions/0044

const ZONE = 'topology.kubernetes.io/zone';
const HOOK = 'pre-drain.delete.hook.machine.cluster.x-k8s.io/held';
const PATIENCE = { timeoutMs: 60_000, everyMs: 100 };

const tenant = new Herd();
const victim = new Herd();
const other = new Herd();
let cluster: OwnCluster;
let controller: ControllerProcess | undefined;

beforeAll(async () => {
  cluster = await ownControlPlane();
  for (const [herd, name] of [
    [tenant, 'tenant'],
    [victim, 'victim'],
    [other, 'other'],
  ] as const) {
    herd.settle(cluster, await cluster.namespace(name));
    await herd.makeClass('quiet', { heartbeat: '0s' });
  }
  controller = await startController({
    cluster,
    namespace: '',
    flags: ['--leader-elect=false', '--orphan-grace-period=1s'],
  });
}, 180_000);

afterAll(async () => {
  await controller?.stop();
  await cluster?.end();
}, 180_000);

test('machines whose VMs nobody ever saw count in no zone', async () => {
  for (const number of [0, 1, 2]) {
    const machine = tenant.alone(`nowhere-${number}`, 'quiet', { node: `nowhere-${number}` });
    const spec = { ...(machine['spec'] as object), providerID: `virtual:///nowhere-${number}`, ...inZone('nowhere') };
    await tenant.apply({ ...machine, spec });
  }
  await tenant.eventually('the VMs to be missed', async () => (await tenant.phases())['Failed'] === 3, PATIENCE);
  await pool(victim, 'sound', { replicas: 1, zone: 'nowhere' });
  await victim.whenRunning(1, PATIENCE);
  await metric('drover_zone_machines{cluster="default",zone="nowhere",health="healthy"} 1');
  await metric('drover_zone_machines{cluster="default",zone="nowhere",health="replaced"} 0');
  await metric('drover_zone_machines{cluster="default",zone="nowhere",health="unhealthy"} 0');
  await tenant.kubectl('delete', 'mc', '--all', '--timeout=30s');
  await victim.kubectl('delete', 'mcd', '--all', '--timeout=30s');
});

test('machines of a tenant that are given up and held take nothing of the budget of others, nor of the tenant itself', async () => {
  const held = { annotations: { [HOOK]: '' } };
  for (const name of ['held-0', 'held-1']) await pool(tenant, name, { replicas: 1, zone: 'shared', ...held });
  await pool(tenant, 'sound', { replicas: 6, zone: 'shared' });
  await pool(victim, 'shared', { replicas: 1, zone: 'shared' });
  const hooked = async () => (await machinesIn(tenant, 'held-0', 'held-1')).filter(isLeaving);
  for (const [count, name] of [
    [1, 'held-0'],
    [1, 'held-1'],
    [6, 'sound'],
  ] as const)
    await whenRunning(count, name, tenant);
  await Promise.all((await machinesIn(tenant, 'held-0', 'held-1')).map(fallIll));
  await tenant.eventually('both to be given up, and held', async () => (await hooked()).length === 2, PATIENCE);
  await replacedIn('shared');
  expect((await hooked()).map(({ status }) => status?.currentStep?.reason)).toEqual([
    'WaitingForPreDrainHook',
    'WaitingForPreDrainHook',
  ]);
});

test('a zone that a tenant made up, all ill, holds up no machine without a zone', async () => {
  await pool(tenant, 'made-up', { replicas: 3, zone: 'made-up' });
  await pool(victim, 'lost', { replicas: 1 });
  await whenRunning(3, 'made-up', tenant);
  await Promise.all((await machinesIn(tenant, 'made-up')).map(fallIll));
  await tenant.eventually('an outage of the tenant', () => areAll('ZoneOutage', 'made-up', tenant), PATIENCE);
  await replacedIn('lost');
});

test('an outage that many are in freezes a namespace with a single machine', async () => {
  await pool(other, 'struck', { replicas: 3, zone: 'struck' });
  await pool(tenant, 'struck', { replicas: 3, zone: 'struck' });
  await pool(victim, 'struck', { replicas: 1, zone: 'struck' });
  const all: [Herd, ...Herd[]] = [tenant, other, victim];
  await whenRunning(7, 'struck', ...all);
  const struck = await machinesIn(all, 'struck');
  await Promise.all(struck.map(fallIll));
  await victim.eventually('the outage to be known', () => areAll('ZoneOutage', 'struck', ...all), PATIENCE);
  expect(uidsOf(await machinesIn(all, 'struck'))).toEqual(uidsOf(struck));
});

const inZone = (zone: string) => ({ nodeTemplate: { metadata: { labels: { [ZONE]: zone } } } });
const isLeaving = ({ metadata }: Machine): boolean => metadata.deletionTimestamp !== undefined;
const uidsOf = (machines: readonly Machine[]) => machines.map(({ metadata }) => metadata.uid).sort();

/** A deployment whose machines are given up a few seconds after their Nodes; their Nodes are asked to name the zone. */
function pool(
  herd: Herd,
  name: string,
  { replicas, zone, annotations = {} }: { replicas: number; zone?: string; annotations?: Record<string, string> },
): Promise<void> {
  const healthTimeout = '5s';
  const spec = { class: { kind: 'MachineClass', name: 'quiet' }, healthTimeout, ...(zone && inZone(zone)) };
  return herd.makeDeployment({ name, replicas, template: { metadata: { labels: { pool: name }, annotations }, spec } });
}

const machinesIn = async (herds: Herd | readonly Herd[], ...pools: string[]): Promise<Machine[]> => {
  const lists = await Promise.all([herds].flat().map((herd: Herd) => herd.machines()));
  return lists.flat().filter(({ metadata }) => pools.includes(metadata.labels?.['pool'] ?? ''));
};

const areAll = async (reason: string, name: string, ...herds: Herd[]): Promise<boolean> =>
  (await machinesIn(herds, name)).every(({ status }) => status?.currentStep?.reason === reason);

const isRunning = ({ status }: Machine): boolean => status?.currentStatus?.phase === 'Running';

const whenRunning = (count: number, name: string, ...herds: [Herd, ...Herd[]]): Promise<void> =>
  herds[0].eventually(
    `${count} machines of ${name} to run`,
    async () => (await machinesIn(herds, name)).filter(isRunning).length === count,
    PATIENCE,
  );

/** The one machine of the victim's pool becomes unhealthy, and another takes its place. */
async function replacedIn(name: string): Promise<void> {
  const runs = async () => {
    const [one] = await machinesIn(victim, name);
    return one && isRunning(one) ? one : undefined;
  };
  await victim.eventually('the machine to run', async () => (await runs()) !== undefined, PATIENCE);
  const before = await runs();
  if (before) await fallIll(before);
  const isNew = async () => ![undefined, before?.metadata.uid].includes((await runs())?.metadata.uid);
  await victim.eventually('the machine to be replaced', isNew, PATIENCE);
}

async function fallIll({ metadata }: Machine): Promise<void> {
  const conditions = [{ type: 'Ready', status: 'False', reason: 'Test', lastTransitionTime: new Date().toISOString() }];
  const name = metadata.labels?.[LABEL_NODE] ?? '';
  await tenant.api.patch(
    nodes,
    { name },
    { type: 'merge', body: { status: { conditions } } },
    { subresource: 'status' },
  );
}

/** Waits until the controller measures that. */
const metric = (line: string) =>
  victim.eventually(
    line,
    async () => (await (await fetch(`${controller?.url}/metrics`)).text()).split('\n').includes(line),
    PATIENCE,
  );
