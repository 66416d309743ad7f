import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { seededRandom } from '../../controller/runtime/random.ts';
import type { Shop } from './support/budgetedpods.ts';
import { type ControllerProcess, startController } from './support/controllerprocess.ts';
import { DrainWitness } from './support/drainobserver.ts';
import { type Lab, startLab } from './support/podlab.ts';

/** The controller dies again and again while 50 machines with pods leave: no pod, volume, VM or deadline is lost. */

/** How often: few with the other tests, 100 times by `./hack/test long`. */
const KILLS = Number(process.env['DRAIN_KILLS'] ?? 10);
const SEED = Number(process.env['SEED'] ?? Math.floor(Math.random() * 1e6));
const PATIENCE = { timeoutMs: 180_000, everyMs: 200 };
const [PLAIN, DATA, FRESH] = [45, 5, 8];

/** Pods that take as long to move as the kills last, so that each of them strikes drains. */
const PACES = { readyMs: 50, detachMs: 50 };
const SLOW = { readyMs: KILLS * 150, detachMs: KILLS * 100 };

/** A pod that begins to move right before the last kill takes as long as those before it. */
const LAST = { ...PATIENCE, timeoutMs: PATIENCE.timeoutMs + SLOW.readyMs + SLOW.detachMs };
/** Longest time from one kill to the next. */
const KILL_MS = 15_000;

// Each wait has its time, so that the one which is too long says what it waited for.
setDefaultTimeout(6 * PATIENCE.timeoutMs + LAST.timeoutMs + KILLS * KILL_MS);

const SHOPS: readonly Shop[] = [
  ...[0, 1, 2].map((n) => ({ name: `plain-${n}`, pods: 20, budget: { maxUnavailable: 1 }, least: 19 })),
  ...Array.from({ length: 15 }, (_, n) => ({
    name: `data-${n}`,
    pods: 1,
    volume: true,
    nodeSelector: { data: 'yes' },
  })),
];
/** Its first pod to go is not replaced until the kills are over: until then some machines have not gone. */
const HELD: Shop = { name: 'held', pods: 10, budget: { maxUnavailable: 1 }, least: 9 };

let lab: Lab;
let controller: ControllerProcess | undefined;
const witness = new DrainWitness();

beforeAll(async () => {
  lab = await startLab('kills', { ...PACES });
  await witness.follow(lab.herd);
});

afterAll(async () => {
  await controller?.kill();
  witness.end();
  await lab?.end();
});

/** So short that the kills are about work, not about waiting. Who does not renew it in time has ended by itself, which is as good. */
const SHORT_LEASE = [
  '--leader-elect-lease-duration=1s',
  '--leader-elect-renew-deadline=800ms',
  '--leader-elect-retry-period=150ms',
];

async function start(flags: readonly string[] = []): Promise<ControllerProcess> {
  const { cluster, herd } = lab;
  controller = await startController({ cluster, namespace: herd.namespace, flags });
  return controller;
}

/** 50 machines with pods on them, and Nodes for these to go to. */
async function fill(): Promise<void> {
  const { herd } = lab;
  const latency = { create: '200ms', boot: '100ms', join: '100ms', delete: '400ms', spread: 0.6 };
  const make = async (name: string, replicas: number, data: 'yes' | 'no') => {
    await herd.makeClass(name, { latency, node: { labels: { data } } });
    await herd.makeDeployment({ name, class: name, replicas });
  };
  await make('plain', PLAIN, 'no');
  await make('data', DATA, 'yes');
  await herd.whenRunning(PLAIN + DATA, PATIENCE);
  await lab.open([...SHOPS, HELD]);
  await make('fresh', FRESH, 'yes');
  await herd.whenRunning(PLAIN + DATA + FRESH, PATIENCE);
}

/** A machine whose time for draining ends while the controller dies, with a pod that may not be evicted. */
async function fillShort(): Promise<void> {
  const { herd } = lab;
  await herd.makeClass('short', { node: { labels: { short: 'yes' } } });
  const { spec, ...manifest } = herd.alone('short', 'short');
  await herd.apply({ ...manifest, spec: { ...(spec as object), drainTimeout: '10s' } });
  await herd.whenRunning(PLAIN + DATA + FRESH + 1, PATIENCE);
  lab.witness.mayBeDeleted.add('short');
  await lab.open([{ name: 'short', pods: 1, budget: { minAvailable: 1 }, nodeSelector: { short: 'yes' } }]);
}

/** Kills the controller at moments by chance, from its first steps on; answers at how many of them machines were leaving. */
async function killAgainAndAgain(): Promise<number> {
  const random = seededRandom(SEED);
  let struck = 0;
  for (let kills = 0; kills < KILLS; kills++) {
    // Some die before they lead, or while they list.
    if (random.next() < 0.7 && controller) await Promise.race([controller.working(), controller.exited]);
    await Bun.sleep(random.next() * 1_500);
    const leaving = (await lab.herd.machines()).filter(({ metadata }) => metadata.deletionTimestamp);
    if (leaving.length > 0) struck++;
    await controller?.kill();
    // Nobody restarts the last one when a busy machine keeps it from renewing a short lease.
    await start(kills < KILLS - 1 ? SHORT_LEASE : []);
  }
  return struck;
}

// hack/decisions/0051 L27
describe('a controller', () => {
  test(`that is killed at ${KILLS} moments of 50 drains loses no pod, volume or VM, and keeps their deadlines (hack/spec/mcm.md 13.8; SEED=${SEED})`, async () => {
    const { herd, kubelets } = lab;
    await (await start()).working();
    await fill();
    await fillShort();
    Object.assign(kubelets.paces, SLOW);
    kubelets.hold(HELD.name);
    await herd.kubectl('delete', 'mcd', 'data', '--wait=false');
    await herd.kubectl('scale', 'mcd/plain', '--replicas=0');
    await herd.kubectl('delete', 'mc', 'short', '--wait=false');
    const isLeaving = async () =>
      (await herd.machines()).filter(({ metadata }) => metadata.deletionTimestamp).length > PLAIN;
    await herd.eventually('the machines to leave', isLeaving, PATIENCE);
    expect(await killAgainAndAgain()).toBe(KILLS);
    Object.assign(kubelets.paces, PACES);
    kubelets.release(HELD.name);
    const machines = await herd.whenRunning(FRESH, LAST);
    await lab.whenReady([...SHOPS, HELD]);
    expect(lab.witness.broken).toEqual([]);
    expect(witness.judge(lab.witness, kubelets)).toEqual([]);
    expect(witness.left).toHaveLength(PLAIN + DATA + 1);
    const uids = machines.map(({ metadata }) => metadata.uid).sort();
    expect((await herd.vms()).map(({ metadata }) => metadata.name).sort()).toEqual(uids as string[]);
    expect(await herd.nodesOf(witness.left)).toEqual([]);
  });
});
