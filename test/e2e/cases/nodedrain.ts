import type { Case } from '../case.ts';
import { expectSame, identities, raise } from '../herd.ts';
import { leaderOf } from '../leader.ts';
import { isReady, podsOf, shared } from '../release.ts';
import { expectThat } from '../said.ts';
import type { Scene } from '../scene.ts';
import { realNodes } from '../workload.ts';
import { whileWriting } from '../writing.ts';

/** Nodes are drained as in an upgrade of the cluster: one after the other. */
export const nodeDrain: Case = {
  name: 'node-drain',
  shows: 'the Nodes of both controllers are drained one after the other: admission goes on, and no machine is replaced',
  needs: { release: 'shared', alone: true, ownCluster: true },
  async run(scene) {
    await raise(scene, 2);
    const before = await identities(scene);
    const { nodeName = '' } = (await leaderOf(scene, shared)).spec;
    const others = (await podsOf(scene, shared, 'controller')).map(({ spec }) => spec.nodeName ?? '');
    const refused = await whileWriting(scene, 'pool', async () => {
      await drain(scene, nodeName);
      // Whatever ran on both Nodes is on the other one now: only the budgets keep it from leaving at once.
      for (const other of others.filter((name) => name !== nodeName).slice(0, 1)) await drain(scene, other);
    });
    expectThat(refused.length === 0, `${refused.length} writes were not let in meanwhile: ${refused[0]}`);
    await scene.until('another leader', () => leaderOf(scene, shared));
    await expectSame(scene, before);
  },
  async cleanUp(scene) {
    for (const { metadata, spec } of await realNodes(scene))
      if (spec.unschedulable) await scene.kubectl('uncordon', metadata.name);
    await whenComplete(scene);
  },
};

/** Drains a Node, then lets pods come back to it. */
async function drain(scene: Scene, node: string): Promise<void> {
  await scene.kubectl('drain', node, '--ignore-daemonsets', '--delete-emptydir-data', '--timeout=120s');
  await whenComplete(scene);
  await scene.kubectl('uncordon', node);
}

async function whenComplete(scene: Scene): Promise<void> {
  for (const component of ['controller', 'webhook'] as const)
    await scene.until(`two ready ${component} pods`, async () => {
      const pods = await podsOf(scene, shared, component);
      return pods.length === 2 && pods.every(isReady);
    });
}
