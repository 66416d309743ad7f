import type { Case } from '../case.ts';
import { isReady, podsOf, shared } from '../release.ts';
import { expectSays, expectThat } from '../said.ts';

/** The namespace of the release takes no pod that could do harm. */
export const restricted: Case = {
  name: 'restricted',
  shows: 'the chart runs where pod security is enforced in its restricted form',
  needs: { release: 'shared' },
  async run(scene) {
    const { images } = scene.surroundings;
    const said = await scene.refusedCommand('run', 'loose', `--image=${images.busybox}`, '-n', shared.namespace);
    expectSays(said, 'violates PodSecurity "restricted');
    for (const component of ['controller', 'webhook'] as const) {
      const pods = await podsOf(scene, shared, component);
      expectThat(pods.length > 0 && pods.every(isReady), `the ${component} pods are not ready`);
    }
  },
};
