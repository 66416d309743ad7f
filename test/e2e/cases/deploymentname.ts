import type { Case } from '../case.ts';
import { expectSame, identities, raise, whenRunning } from '../herd.ts';
import { installOwn, ownRelease, uninstallOwn } from '../own.ts';
import { podsOf } from '../release.ts';

const NAME = 'machine-controller-manager';

/** The name by which Gardener's cluster-autoscaler finds its machine controller. */
export const deploymentName: Case = {
  name: 'deployment-name',
  shows: `the controller's Deployment can be named ${NAME}, and be scaled down and up by that name`,
  needs: { release: 'own' },
  async run(scene) {
    await installOwn(scene, { controller: { deploymentName: NAME } });
    await raise(scene, 2);
    const before = await identities(scene);
    await scene.kubectl('scale', 'deployment', NAME, '--replicas=0');
    await scene.until('the controller to be gone', async () => {
      return (await podsOf(scene, ownRelease(scene), 'controller')).length === 0;
    });
    await scene.kubectl('scale', 'deployment', NAME, '--replicas=1');
    await scene.kubectl('rollout', 'status', `deployment/${NAME}`, '--timeout=90s');
    await expectSame(scene, before);
    await scene.kubectl('scale', 'mcd', 'pool', '--replicas=1');
    await whenRunning(scene, 1);
  },
  cleanUp: uninstallOwn,
};
