import type { Case } from '../case.ts';
import { raise, whenRunning } from '../herd.ts';
import { expectSays, expectThat } from '../said.ts';
import type { Manifest, Scene, Seen } from '../scene.ts';
import { expectUntouched, idlers, look } from '../workload.ts';

/** Bounds that hold without any metrics. */
const autoscaler = (minReplicas: number, maxReplicas: number): Manifest => ({
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: { name: 'pool' },
  spec: {
    minReplicas,
    maxReplicas,
    scaleTargetRef: { apiVersion: 'machine.sapcloud.io/v1alpha1', kind: 'MachineDeployment', name: 'pool' },
    metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } }],
  },
});

/** Machines come and go, and the cluster's own Nodes do not notice. */
export const scaling: Case = {
  name: 'scaling',
  shows:
    'kubectl scale, an autoscaler of Kubernetes, a rollout and a deletion leave real Nodes and their pods untouched',
  needs: { release: 'shared' },
  async run(scene) {
    await scene.apply(idlers(scene, 4));
    await scene.wait('deployment/idler', '--for=condition=Available');
    await raise(scene, 2);
    const before = await look(scene);
    await scale(scene);
    await autoscale(scene);
    await roll(scene, 2);
    await expectUntouched(scene, before);
    await scene.kubectl('delete', 'mcd', 'pool', '--timeout=90s');
    await scene.until('all machines to be gone', async () => (await scene.list('mc')).length === 0);
    await expectUntouched(scene, before);
  },
};

async function scale(scene: Scene): Promise<void> {
  expectSays(await scene.kubectl('scale', 'mcd', 'pool', '--replicas=4'), 'scaled');
  await whenRunning(scene, 4);
}

/** An autoscaler keeps its bounds, through the scale subresource. Then it goes, and the pool shrinks. */
async function autoscale(scene: Scene): Promise<void> {
  await scene.apply(autoscaler(5, 6));
  await whenRunning(scene, 5);
  await scene.kubectl('delete', 'hpa', 'pool');
  await scene.kubectl('scale', 'mcd', 'pool', '--replicas=2');
  await whenRunning(scene, 2);
}

/** Replaces all machines. */
async function roll(scene: Scene, replicas: number): Promise<void> {
  const old = new Set((await scene.list('mc')).map(({ metadata }) => metadata.uid));
  const patch = { spec: { template: { metadata: { labels: { round: '2' } } } } };
  await scene.kubectl('patch', 'mcd', 'pool', '--type=merge', '-p', JSON.stringify(patch));
  await scene.until('a new set', async () => (await scene.list('mc', '-l', 'round=2')).length > 0);
  await scene.until('the old machines to be gone', async () => {
    const machines: Seen[] = await scene.list('mc');
    return machines.length === replicas && machines.every(({ metadata }) => !old.has(metadata.uid));
  });
  const machines = await whenRunning(scene, replicas);
  expectThat(
    machines.every(({ metadata }) => metadata.labels?.['round'] === '2'),
    'a machine is not of the new template',
  );
}
