import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Shop } from './support/budgetedpods.ts';
import { type ControllerProcess, startController } from './support/controllerprocess.ts';
import { type Lab, startLab } from './support/podlab.ts';

/** A rollout moves pods, and loses none: with ReplicaSets, budgets and a scheduler of Kubernetes' own. */

setDefaultTimeout(240_000);

const SIZE = 20;
const PATIENCE = { timeoutMs: 180_000, everyMs: 200 };

/** 200 pods, under budgets of each kind that there is. */
const SHOPS: readonly Shop[] = Array.from({ length: 10 }, (_, n) => ({
  name: `shop-${n}`,
  pods: 20,
  ...[
    { budget: { minAvailable: 18 }, least: 18 },
    { budget: { maxUnavailable: 1 }, least: 19 },
    { budget: { maxUnavailable: '10%' }, least: 18 },
    { budget: { minAvailable: '75%' }, least: 15 },
  ][n % 4],
}));

let lab: Lab;
let controller: ControllerProcess;

beforeAll(async () => {
  lab = await startLab('rollout', { readyMs: 200, detachMs: 100 });
  const { cluster, herd } = lab;
  controller = await startController({ cluster, namespace: herd.namespace, flags: ['--leader-elect=false'] });
  await controller.working();
});

afterAll(async () => {
  await controller?.kill();
  await lab?.end();
});

const deploy = (machineClass: string) =>
  lab.herd.makeDeployment({
    replicas: SIZE,
    class: machineClass,
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 4, maxUnavailable: 1 } },
  });

describe('a rollout of 20 Nodes with 200 pods (hack/spec/mcm.md 13.11)', () => {
  test('keeps every budget at every moment, evicts each pod that it moves, and leaves all of them running', async () => {
    const { herd, witness } = lab;
    await herd.makeClass('old');
    await herd.makeClass('new');
    await deploy('old');
    const before = await herd.whenRunning(SIZE, PATIENCE);
    await lab.open(SHOPS);
    const old = new Set(before.map(({ metadata }) => metadata.name));
    expect(witness.places.difference(old).size).toBe(0);
    await deploy('new');
    const isDone = async () => {
      const machines = await herd.machines();
      const running = machines.filter(({ status }) => status?.currentStatus?.phase === 'Running');
      return machines.length === SIZE && running.length === SIZE && !machines.some((one) => old.has(one.metadata.name));
    };
    await herd.eventually('the rollout', isDone, PATIENCE);
    await lab.whenReady(SHOPS);
    expect(witness.broken).toEqual([]);
    expect(witness.asked.size).toBeGreaterThanOrEqual(200);
    expect([...witness.places].filter((node) => old.has(node))).toEqual([]);
    expect(await herd.vms()).toHaveLength(SIZE);
  });
});
