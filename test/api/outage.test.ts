import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { seededRandom } from '../../controller/runtime/random.ts';
import { expectInOrder } from './support/consistency.ts';
import { startController } from './support/controllerprocess.ts';
import { type OwnCluster, ownControlPlane } from './support/controlplane.ts';
import { Herd } from './support/herd.ts';

/** Long enough for what a broken machine may hold up, with both cores busy. */
const PATIENCE = { timeoutMs: 120_000, everyMs: 200 };
const SEED = Number(process.env['SEED'] ?? Math.floor(Math.random() * 1e6));
/** So short that a test of twenty takeovers is about work, not about waiting. */
const SHORT_LEASE = [
  '--leader-elect-lease-duration=1s',
  '--leader-elect-renew-deadline=800ms',
  '--leader-elect-retry-period=150ms',
];
/** How often the controller is killed. */
const KILLS = 20;
/** VMs of a herd of 50 while nothing is replaced, and a few: kills go on until more have been there. */
const MOST_AT_ONCE = 55;
/** VMs that take their time, each its own. */
const SLOW = { latency: { create: '400ms', boot: '300ms', join: '300ms', delete: '400ms', spread: 0.6 } };

setDefaultTimeout(300_000);

let cluster: OwnCluster;
let herd: Herd;

beforeAll(async () => {
  cluster = await ownControlPlane();
});

afterAll(() => cluster.end());

async function fresh(replicas: number): Promise<void> {
  herd = new Herd().settle(cluster, await cluster.namespace('outage'));
  await herd.makeClass('slow', SLOW);
  await herd.makeDeployment({
    replicas,
    class: 'slow',
    strategy: { rollingUpdate: { maxSurge: '20%', maxUnavailable: '20%' } },
  });
}

const scale = (replicas: number) => herd.kubectl('scale', 'mcd/pool', `--replicas=${replicas}`);

describe('a controller', () => {
  test(`that is killed at twenty moments makes no VM twice and forgets none (hack/spec/cluster-api.md F2 12, 13; SEED=${SEED})`, async () => {
    const random = seededRandom(SEED);
    await fresh(50);
    let controller = await startController({ cluster, namespace: herd.namespace, flags: SHORT_LEASE });
    const everSeen = new Set<string>();
    // A busy machine makes fewer VMs between two kills.
    for (let kills = 0; kills < KILLS || everSeen.size <= MOST_AT_ONCE; kills++) {
      // One that could not renew so short a lease has ended by itself, which is as good as killed.
      await Promise.race([controller.working(), controller.exited]);
      await Bun.sleep(random.next() * 1500);
      if (kills % 4 === 1) await scale(Math.floor(random.next() * 40));
      if (kills % 4 === 3) await scale(50);
      for (const { metadata } of await herd.vms()) everSeen.add(metadata.name);
      await controller.kill();
      controller = await startController({ cluster, namespace: herd.namespace, flags: SHORT_LEASE });
    }
    await controller.kill();
    // Nobody restarts the last one when a busy machine keeps it from renewing a short lease.
    controller = await startController({ cluster, namespace: herd.namespace, flags: ['--leader-elect=true'] });
    await scale(40);
    const machines = await herd.whenRunning(40, PATIENCE);
    await expectInOrder(herd, machines);
    await herd.kubectl('delete', 'mcd/pool', '--timeout=60s');
    await herd.whenGone(machines, PATIENCE);
    expect(await controller.stop()).toBe(0);
  });

  test('goes on where it was after the API server was away for twenty seconds', async () => {
    await fresh(50);
    const controller = await startController({ cluster, namespace: herd.namespace, flags: ['--leader-elect=false'] });
    await herd.eventually('some machines to run', async () => ((await herd.phases())['Running'] ?? 0) > 5, PATIENCE);
    const before = await herd.machines();
    await withoutApiServer(20_000);
    const machines = await herd.whenRunning(50, PATIENCE);
    await expectInOrder(herd, machines);
    const uids = machines.map(({ metadata }) => metadata.uid);
    for (const { metadata } of before) expect(uids).toContain(metadata.uid);
    expect(await controller.stop()).toBe(0);
  });

  test('ends itself when it cannot renew its lease, and its successor goes on', async () => {
    await fresh(20);
    const flags = [
      '--leader-elect-lease-duration=4s',
      '--leader-elect-renew-deadline=3s',
      '--leader-elect-retry-period=500ms',
    ];
    const controller = await startController({ cluster, namespace: herd.namespace, flags });
    await herd.eventually('some machines to run', async () => ((await herd.phases())['Running'] ?? 0) > 2, PATIENCE);
    await withoutApiServer(6_000);
    expect(await controller.exited).toBe(1);
    // With a lease of the usual length: a busy machine ends none of those.
    const usual = ['--leader-elect=true'];
    const successor = await startController({ cluster, namespace: herd.namespace, flags: usual });
    await expectInOrder(herd, await herd.whenRunning(20, PATIENCE));
    const code = await successor.stop();
    expect(code, (await successor.lines()).slice(-10).join('\n')).toBe(0);
  });
});

/** Kills the API server, and starts it again after `ms`. */
async function withoutApiServer(ms: number): Promise<void> {
  await cluster.apiserver.kill();
  await Bun.sleep(ms);
  await cluster.apiserver.start();
}
