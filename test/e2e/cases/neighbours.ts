import type { Case } from '../case.ts';
import { expectSame, identities, pool, raise } from '../herd.ts';
import { metricsOf, sumOf } from '../metrics.ts';
import { keptTo, ownRelease, uninstallOwn } from '../own.ts';
import { install, merged, podsOf, uninstall } from '../release.ts';
import { expectSays } from '../said.ts';
import type { Scene } from '../scene.ts';

/** Strange VMs go as soon as can be: a neighbour's would go, too. */
const HASTY = {
  controller: { settings: { machineSafetyOrphanVmsPeriod: '2s', orphanGracePeriod: '0s' } },
};

/** Sweeps after which a VM would be gone: it goes at second sight. */
const SWEEPS = 4;

/** Two releases that look after a namespace each. */
export const neighbours: Case = {
  name: 'neighbours',
  shows:
    'two releases in two namespaces look after their own machines, judge their own writes, and leave the other alone',
  needs: { release: 'own' },
  async run(scene) {
    const other = neighbourOf(scene);
    await scene.kubectl('create', 'namespace', other.namespace);
    await Promise.all([installHasty(scene), installHasty(other)]);
    await Promise.all([raise(scene, 2), raise(other, 2)]);
    const [mine, theirs] = await Promise.all([identities(scene), identities(other)]);
    await Promise.all([whenSwept(scene), whenSwept(other)]);
    await expectSame(scene, mine);
    await expectSame(other, theirs);
    await uninstall(scene, ownRelease(scene));
    await expectJudged(other);
    await expectSame(scene, mine);
    await installHasty(scene);
    await expectSame(scene, mine);
  },
  async cleanUp(scene) {
    const other = neighbourOf(scene);
    await scene.terminal.tryKubectl(['delete', 'mcd,mcs,mc', '--all', '-n', other.namespace, '--timeout=45s']);
    await uninstall(other, ownRelease(other));
    await uninstallOwn(scene);
    await scene.kubectl('delete', 'namespace', other.namespace, '--wait=false', '--ignore-not-found');
  },
};

const installHasty = (scene: Scene): Promise<void> =>
  install(scene, ownRelease(scene), { values: merged(keptTo(scene.namespace), HASTY) });

const neighbourOf = (scene: Scene): Scene => scene.in(`${scene.namespace}-b`);

async function whenSwept(scene: Scene): Promise<void> {
  const [pod] = await podsOf(scene, ownRelease(scene), 'controller');
  if (!pod) throw new Error('there is no controller pod');
  await scene.until(`${SWEEPS} sweeps for orphans`, async () => {
    const metrics = await metricsOf(scene, ownRelease(scene), pod);
    return sumOf(metrics, 'drover_orphan_sweeps_total') >= SWEEPS;
  });
}

async function expectJudged(scene: Scene): Promise<void> {
  const said = await scene.refused(pool(0, 'wrong', { selector: { matchLabels: { pool: 'other' } } }));
  expectSays(said, 'spec.selector: must match spec.template.metadata.labels');
}
