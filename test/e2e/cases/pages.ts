import type { Case } from '../case.ts';
import { raise } from '../herd.ts';
import { walkPage } from '../page.ts';
import { shared, uninstall } from '../release.ts';

/** The life of a release, in short and at length, as it is told to those who run Drover. */
export const operations: Case = {
  name: 'operations',
  shows: 'the commands of README.md and OPERATIONS.md install, upgrade, renew, back up and uninstall, as they stand',
  needs: { release: 'own', alone: true },
  async run(scene) {
    for (const page of ['README.md', 'charts/drover/OPERATIONS.md']) await walkPage(scene.in('default'), page);
  },
  async cleanUp(scene) {
    await scene.terminal.tryKubectl(['delete', 'secret', 'herd', '-n', 'default', '--ignore-not-found']);
    await uninstall(scene, shared);
  },
};

/** Commands for those who look for what is wrong. */
export const troubleshooting: Case = {
  name: 'troubleshooting',
  shows: 'the commands of TROUBLESHOOTING.md that need a cluster work as they stand',
  needs: { release: 'shared' },
  async run(scene) {
    await raise(scene, 1);
    await walkPage(scene, 'charts/drover/TROUBLESHOOTING.md');
  },
};
