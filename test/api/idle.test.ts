import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { type Node, nodes } from '../../controller/runtime/k8s/core.ts';
import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import { until } from '../../hack/lib/until.ts';
import { type ControllerProcess, startController } from './support/controllerprocess.ts';
import { controlPlane } from './support/controlplane.ts';
import { Herd } from './support/herd.ts';

setDefaultTimeout(180_000);
const herd = new Herd();
let controller: ControllerProcess;

beforeAll(async () => {
  const cluster = await controlPlane();
  herd.settle(cluster, await cluster.namespace('idle'));
  const flags = ['--min-resync-period=200ms'];
  controller = await startController({ cluster, namespace: herd.namespace, flags });
});

afterAll(async () => {
  expect(await controller.stop()).toBe(0);
});

/** How often machines were looked at and nothing was left to do. */
async function settled(): Promise<number> {
  const text = await (await fetch(`${controller.url}/metrics`)).text();
  const line = text.split('\n').find((one) => /^drover_decisions_total\{.*name="machine",step="Reconciled"/.test(one));
  return Number(line?.split(' ').at(-1) ?? 0);
}

const named = (kind: string, objects: readonly KubeObject[]) =>
  objects.map((one) => [`${kind} ${one.metadata.name}`, one] as const);

const isInStep = ({ metadata, spec }: Node): boolean =>
  metadata.labels?.['a'] === '1' && spec?.taints?.map(({ key }) => key).join() === 'c';

test('a herd that is looked at again and again without news is not written to', async () => {
  await herd.makeClass('small', { heartbeat: '0s' });
  const nodeTemplate = {
    metadata: { labels: { a: '1' }, annotations: { b: '2' } },
    spec: { taints: [{ key: 'c', effect: 'NoSchedule' }] },
  };
  await herd.makeDeployment({ replicas: 3 });
  await herd.kubectl(
    'patch',
    'mcd/pool',
    '--type=merge',
    '-p',
    JSON.stringify({ spec: { template: { spec: { nodeTemplate } } } }),
  );
  const machines = await herd.whenRunning(3);
  // The simulated kubelet takes admission's not-ready taint off in its own time.
  const isDone = async () => (await herd.nodesOf(machines)).every(isInStep);
  await herd.eventually('the Nodes to be in step', isDone);
  const all = async () =>
    Object.fromEntries([
      ...named('machine', await herd.machines()),
      ...named('node', await herd.nodesOf(machines)),
      ...named('set', await herd.sets()),
      ...named('deployment', await herd.deployments()),
    ]);
  const looks = async () => {
    const before = [await settled(), await all()] as const;
    await until('three looks at each machine', async () => (await settled()) >= before[0] + 9, { timeoutMs: 15_000 });
    return [before[1], await all()] as const;
  };
  // What the join left to be told may still be under way the first time.
  await herd.eventually('the herd to come to rest', async () => Bun.deepEquals(...(await looks())));
  const [before, after] = await looks();
  expect(after).toEqual(before);
  expect((await herd.api.list(nodes)).items.length).toBeGreaterThanOrEqual(3);
});
