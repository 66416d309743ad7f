import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { open, type Shop } from './support/budgetedpods.ts';
import { type ControllerProcess, startController } from './support/controllerprocess.ts';
import { DrainWitness } from './support/drainobserver.ts';
import { type Lab, startLab } from './support/podlab.ts';

/** Drains that wait for a budget hold nobody up, with fewer workers than there are drains (hack/spec/mcm.md 13.9). */

setDefaultTimeout(180_000);

const STUCK = 30;
const PATIENCE = { timeoutMs: 90_000, everyMs: 100 };
const WORKERS = 3;

let lab: Lab;
let controller: ControllerProcess;
const witness = new DrainWitness();

beforeAll(async () => {
  lab = await startLab('stuck', { readyMs: 50, detachMs: 50 });
  const { cluster, herd } = lab;
  await witness.follow(herd);
  const flags = ['--leader-elect=false', `--concurrent-syncs=${WORKERS}`];
  controller = await startController({ cluster, namespace: herd.namespace, flags });
  await controller.working();
  for (const role of ['stuck', 'free']) await herd.makeClass(role, { node: { labels: { role } } });
});

afterAll(async () => {
  await controller?.kill();
  witness.end();
  await lab?.end();
});

const shop = (name: string, pods: number, more: Partial<Shop> = {}): Shop => ({
  name,
  pods,
  nodeSelector: { role: name },
  ...more,
});

/** A machine is made, joins, gets pods, is drained and goes; answers what it had to wait for. */
async function life(name: string): Promise<string[]> {
  const { herd } = lab;
  await herd.apply(herd.alone(name, 'free'));
  await herd.kubectl('wait', `mc/${name}`, '--for=jsonpath={.status.currentStatus.phase}=Running', '--timeout=60s');
  const there = () => (lab.witness.stays.get(name)?.size ?? 0) >= FREE.pods;
  await herd.eventually('pods on the Node', async () => there(), PATIENCE);
  await herd.eventually('pods to be ready', async () => lab.witness.ready('free') === FREE.pods, PATIENCE);
  await herd.kubectl('delete', 'mc', name, '--timeout=60s');
  await herd.eventually('its end', async () => witness.left.some(({ metadata }) => metadata.name === name), PATIENCE);
  return (witness.decided.get(name) ?? []).filter((step) => /Waiting|Slot|Refused|Blocked|Delayed/.test(step));
}

const FREE = shop('free', 20);

describe(`${STUCK} drains that no budget lets go on`, () => {
  test('hold up no other machine: it is made, joins, is drained and goes while all of them wait', async () => {
    const { herd } = lab;
    const names = Array.from({ length: STUCK }, (_, n) => `stuck-${n}`);
    await Promise.all(names.map((name) => herd.apply(herd.alone(name, 'stuck'))));
    await herd.whenRunning(STUCK, PATIENCE);
    await lab.open([
      shop('stuck', STUCK * 3, { budget: { minAvailable: '100%' }, least: STUCK * 3, evenlyOver: STUCK }),
    ]);
    await open(herd, FREE);
    const alone = await life('first');
    await herd.kubectl('delete', 'mc', ...names, '--wait=false');
    const areStuck = async () =>
      (await herd.machines()).every(({ status }) => (status?.deletion?.drain?.pods ?? []).some(({ reason }) => reason));
    await herd.eventually('all drains to be stuck', areStuck, PATIENCE);
    expect(await life('second')).toEqual(alone);
    expect((await herd.machines()).map(({ metadata }) => metadata.name).sort()).toEqual(names.sort());
    await herd.eventually('workers and queues to be free', areFree, PATIENCE);
    expect(lab.witness.broken).toEqual([]);
    expect(witness.judge(lab.witness, lab.kubelets)).toEqual([]);
  });
});

/** No key waits for a worker, and no worker is busy. */
async function areFree(): Promise<boolean> {
  const text = await (await fetch(`${controller.url}/metrics`)).text();
  const sum = (metric: string) =>
    text
      .split('\n')
      .filter((line) => line.startsWith(`${metric}{`) && line.includes('name="machine"'))
      .reduce((all, line) => all + Number(line.split(' ').at(-1)), 0);
  return sum('drover_workqueue_depth') === 0 && sum('mcm_workqueue_unfinished_work_seconds') === 0;
}
