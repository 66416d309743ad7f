import type { Case } from '../case.ts';
import { pool, raise, vmsOf } from '../herd.ts';
import { podsOf, type SeenPod, selector, shared, whenReplaced } from '../release.ts';
import { expectSays } from '../said.ts';
import type { Scene } from '../scene.ts';

const NOW = ['--grace-period=0', '--force', '--ignore-not-found'];

/** Admission when pods die. */
export const webhookPods: Case = {
  name: 'webhook-pods',
  shows: 'one webhook pod that is killed is not noticed; without any, writes are refused and deletions finish',
  needs: { release: 'shared', alone: true },
  async run(scene) {
    await raise(scene, 1);
    await scene.apply(pool(0, 'quiet'));
    await loseOne(scene);
    await loseAll(scene);
  },
  async cleanUp(scene) {
    await scaleTo(scene, 2);
    await scene.kubectl('rollout', 'status', `deployment/${DEPLOYMENT}`, '-n', shared.namespace, '--timeout=90s');
  },
};

const DEPLOYMENT = `${shared.name}-webhook`;

/** Writes go on while a pod ends as pods do, and soon after one was killed. */
async function loseOne(scene: Scene): Promise<void> {
  const before = await podsOf(scene, shared, 'webhook');
  const [ending] = before;
  if (!ending) throw new Error('there is no webhook pod');
  await scene.kubectl('delete', 'pod', ending.metadata.name, '-n', shared.namespace, '--wait=false');
  for (let write = 0; write < 10; write++) await label(scene, `ending-${write}`);
  await whenReplaced(scene, shared, [ending]);
  const [killed] = await podsOf(scene, shared, 'webhook');
  if (!killed) throw new Error('there is no webhook pod');
  await kill(scene, [killed]);
  await scene.until('a write after a pod was killed', () => label(scene, 'killed').then(() => true));
  await whenReplaced(scene, shared, [killed]);
}

/** Nothing that was not judged gets in; what is deleted goes, and the rest of the cluster goes on. */
async function loseAll(scene: Scene): Promise<void> {
  const before = await podsOf(scene, shared, 'webhook');
  await scaleTo(scene, 0);
  await kill(scene, before);
  const said = await scene.until('writes to be refused', async () => {
    const another = `e2e=away-${Date.now()}`;
    const { code, stderr } = await scene.terminal.tryKubectl(['label', 'mcd', 'quiet', another, '--overwrite']);
    return code === 0 ? undefined : stderr;
  });
  expectSays(said, 'drover.dev');
  await scene.kubectl('create', 'configmap', 'beside', '--from-literal=a=b');
  await scene.kubectl('delete', 'mcd', 'pool', '--timeout=90s');
  await scene.until('the VM of a deleted machine to be gone', async () => (await vmsOf(scene)).length === 0);
  await scaleTo(scene, 2);
  await scene.until('writes to be let in again', () => label(scene, 'back').then(() => true));
}

async function kill(scene: Scene, pods: readonly SeenPod[]): Promise<void> {
  const names = pods.map(({ metadata }) => metadata.name);
  await scene.kubectl('delete', 'pod', ...names, '-n', shared.namespace, ...NOW);
}

const label = (scene: Scene, value: string): Promise<string> =>
  scene.kubectl('label', 'mcd', 'quiet', `e2e=${value}`, '--overwrite');

async function scaleTo(scene: Scene, replicas: number): Promise<void> {
  await scene.kubectl('scale', `deployment/${DEPLOYMENT}`, '-n', shared.namespace, `--replicas=${replicas}`);
  if (replicas === 0) return;
  await scene.wait('pod', '--for=create', ...selector(shared, 'webhook'));
}
