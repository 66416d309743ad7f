import type { Case } from '../case.ts';
import { expectSame, identities, raise, whenRunning } from '../herd.ts';
import { previousChart } from '../previous.ts';
import { install, podsOf, shared, uninstall, upgrade, whenReplaced } from '../release.ts';
import { expectThat } from '../said.ts';
import type { Scene } from '../scene.ts';
import { whileWriting } from '../writing.ts';

/** Another way to run the same. */
const CHANGED = {
  controller: { replicas: 3, settings: { logLevel: 'debug' } },
  webhook: { settings: { logLevel: 'debug' } },
};

/** From the chart of the last release to this one. */
export const upgradeCase: Case = {
  name: 'upgrade',
  shows: 'an upgrade from the last release with other values, and the way back, roll nothing and refuse nothing',
  needs: { release: 'own', alone: true },
  async run(scene) {
    await using previous = await previousChart(scene.surroundings);
    await install(scene, shared, { chart: previous.folder });
    await raise(scene, 3);
    const before = await identities(scene);
    const pods = [...(await podsOf(scene, shared, 'controller')), ...(await podsOf(scene, shared, 'webhook'))];
    const refused = await whileWriting(scene, 'pool', () => upgrade(scene, shared, { values: CHANGED }));
    expectThat(refused.length === 0, `${refused.length} writes were not let in during the upgrade: ${refused[0]}`);
    await whenReplaced(scene, shared, pods.slice(0, 2));
    await expectSame(scene, before);
    await scene.terminal.helm(['rollback', shared.name, '1', '-n', shared.namespace, '--wait', '--timeout=120s']);
    await expectSame(scene, before);
    await expectWorking(scene);
  },
  cleanUp: (scene) => uninstall(scene, shared),
};

async function expectWorking(scene: Scene): Promise<void> {
  await scene.kubectl('scale', 'mcd', 'pool', '--replicas=4');
  await whenRunning(scene, 4);
}
