import type { Case } from '../case.ts';
import { expectSame, identities, raise, whenRunning } from '../herd.ts';
import { leaderOf } from '../leader.ts';
import { shared, whenReplaced } from '../release.ts';

/** The controller's other replica. */
export const leader: Case = {
  name: 'leader',
  shows: 'when the leading controller is killed another takes over, and no machine is replaced',
  needs: { release: 'shared', alone: true },
  async run(scene) {
    await raise(scene, 3);
    const before = await identities(scene);
    const was = await leaderOf(scene, shared);
    await scene.kubectl('delete', 'pod', was.metadata.name, '-n', shared.namespace, '--grace-period=0', '--force');
    await scene.until('another leader', async () => (await leaderOf(scene, shared)).metadata.uid !== was.metadata.uid);
    await expectSame(scene, before);
    await scene.kubectl('scale', 'mcd', 'pool', '--replicas=4');
    await whenRunning(scene, 4);
    const { machines } = await identities(scene);
    await expectSame(scene, { ...(await identities(scene)), machines: { ...machines, ...before.machines } });
    await whenReplaced(scene, shared, [was]);
  },
};
