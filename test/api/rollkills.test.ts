import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { nodes } from '../../controller/runtime/k8s/core.ts';
import { seededRandom } from '../../controller/runtime/random.ts';
import { until } from '../../hack/lib/until.ts';
import { resources } from '../../schemas/kinds.ts';
import { expectInOrder } from './support/consistency.ts';
import { type ControllerProcess, startController } from './support/controllerprocess.ts';
import { type OwnCluster, ownControlPlane } from './support/controlplane.ts';
import { Herd } from './support/herd.ts';
import { type Entry, History } from './support/history.ts';
import { type Bounds, judge } from './support/rolloutfindings.ts';

/** Few with the other tests; `./hack/test long` rolls 500 machines and kills 30 times. */
const REPLICAS = Number(process.env['ROLLED_MACHINES'] ?? 100);
const KILLS = Number(process.env['ROLLED_KILLS'] ?? 6);
const SEED = Number(process.env['SEED'] ?? Math.floor(Math.random() * 1e6));
const SURGE = REPLICAS / 10;

/** Grows with the herd, and with what restarts take on a busy machine. */
const PATIENCE = { timeoutMs: 120_000 + 500 * REPLICAS + 10_000 * KILLS, everyMs: 200 };
/**
 * VMs that take their time, each its own: a kill meets each of their states. Their kubelets live in the controller that is
 * killed; Nodes that stay Ready without them are as those of real VMs, whose kubelets are not.
 */
const SLOW = {
  heartbeat: '0s',
  latency: { create: '300ms', boot: '200ms', join: '200ms', delete: '300ms', spread: 0.6 },
};
/** Two controllers are never alive at the same time, so none waits for the lease of one that is dead. */
const FLAGS = ['--leader-elect=false', '--kube-api-qps=1000', '--kube-api-burst=1000'];
const ROUND = { round: '2' };

setDefaultTimeout(2 * PATIENCE.timeoutMs);

/** A kill comes once so many of the old VMs are gone, and so many milliseconds later. */
interface Kill {
  goneVms: number;
  delayMs: number;
}

let cluster: OwnCluster;
const herd = new Herd();

beforeAll(async () => {
  cluster = await ownControlPlane();
  herd.settle(cluster, await cluster.namespace('rolled'));
});

afterAll(() => cluster.end());

const start = (): Promise<ControllerProcess> => startController({ cluster, namespace: herd.namespace, flags: FLAGS });

/** Spread over the whole rollout; each third one meets a controller that has just been started. */
function killsFrom(seed: number): Kill[] {
  const random = seededRandom(seed);
  const steps = Array.from({ length: KILLS }, () => Math.floor(random.next() * REPLICAS * 0.95)).sort((a, b) => a - b);
  return steps.map((goneVms, at) => ({
    goneVms: at % 3 === 2 ? (steps[at - 1] ?? 0) : goneVms,
    delayMs: random.next() * (at % 3 === 2 ? 1_000 : 300),
  }));
}

async function rollWithKills(history: History): Promise<ControllerProcess> {
  let controller = await start();
  for (const { goneVms, delayMs } of killsFrom(SEED)) {
    await until(`${goneVms} old VMs to be gone`, () => history.goneVms >= goneVms, { ...PATIENCE, everyMs: 10 });
    await Bun.sleep(delayMs);
    await controller.kill();
    controller = await start();
  }
  return controller;
}

/** The herd runs, and is to be rolled; answers the version from which on the rollout is asked for. */
async function askForRollout(): Promise<string> {
  const first = await start();
  await herd.makeClass('slow', SLOW);
  const rollingUpdate = { maxSurge: '10%', maxUnavailable: 0 };
  await herd.makeDeployment({ replicas: REPLICAS, class: 'slow', strategy: { type: 'RollingUpdate', rollingUpdate } });
  await herd.whenRunning(REPLICAS, PATIENCE);
  expect(await first.stop()).toBe(0);
  const body = { spec: { template: { metadata: { labels: ROUND } } } };
  const name = { namespace: herd.namespace, name: 'pool' };
  const { metadata } = await herd.api.patch(resources.machineDeployments, name, { type: 'merge', body });
  return metadata.resourceVersion ?? '';
}

async function whenRolled(): Promise<void> {
  const isNew = async () => (await herd.machines()).every(({ metadata }) => metadata.labels?.['round'] === ROUND.round);
  await herd.eventually('all machines to be new', isNew, PATIENCE);
}

describe('a rollout', () => {
  test(`in which the controller is killed ${KILLS} times leaves ${REPLICAS} machines, none of them with two VMs (SEED=${SEED})`, async () => {
    const history = await History.of(herd);
    const since = await askForRollout();
    const controller = await rollWithKills(history);
    await whenRolled();
    const machines = await herd.whenRunning(REPLICAS, PATIENCE);
    await expectInOrder(herd, machines);
    expect((await herd.api.list(nodes)).items).toHaveLength(REPLICAS);
    expect(await controller.stop()).toBe(0);
    const judged = judge(history.entries(), { most: REPLICAS + SURGE, least: REPLICAS, since });
    history.end();
    console.log(JSON.stringify({ kills: KILLS, ...judged }));
    expect(judged).toMatchObject({ findings: [], vmsMade: 2 * REPLICAS });
  });
});

describe('what is looked for in a history is found:', () => {
  const machine = (version: number, { uid = 'a', phase = 'Running', is = true } = {}): Entry => ({
    of: 'machine',
    is,
    object: {
      apiVersion: 'machine.sapcloud.io/v1alpha1',
      kind: 'Machine',
      metadata: { name: uid, uid, resourceVersion: `${version}` },
      spec: { class: { kind: 'MachineClass', name: 'any' } },
      status: { currentStatus: { phase: phase as 'Running' } },
    },
  });
  const vm = (version: number, { name = 'a', of = 'a', is = true } = {}): Entry => ({
    of: 'vm',
    is,
    object: { metadata: { name, resourceVersion: `${version}` }, data: { machine: of } },
  });
  const bounds: Bounds = { most: 2, least: 1, since: '2' };
  const running = [machine(1), vm(2)];

  test.each<[string, Entry[], string[]]>([
    ['nothing', [], []],
    ['a second VM', [machine(3, { uid: 'b' }), vm(4, { name: 'b', of: 'a' })], ['a has two VMs']],
    ['a VM made again', [vm(3, { is: false }), vm(4)], ['the VM of a was made a second time']],
    ['an orphan', [machine(3, { uid: 'b' }), machine(4, { is: false })], ['a is gone, and left its VM behind']],
    ['a VM of no machine', [vm(3, { name: 'b', of: 'b' })], ['a VM was made for b, which is not there']],
    [
      'too many machines',
      [machine(3, { uid: 'b' }), machine(4, { uid: 'c' })],
      ['3 machines that may hold a VM at version 4'],
    ],
    ['too few available', [machine(3, { phase: 'Unknown' })], ['0 machines are available at version 3']],
  ])('%s', (_, entries, findings) => {
    expect(judge([...running, ...entries], bounds).findings).toEqual(findings);
  });
});
