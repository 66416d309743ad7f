import type { Case } from '../case.ts';
import { expectSame, identities, raise, whenRunning } from '../herd.ts';
import { fullname, install, podsOf, shared, uninstall } from '../release.ts';
import { expectThat } from '../said.ts';
import type { Scene } from '../scene.ts';

/** What a release has outside of all namespaces. */
const CLUSTER_WIDE =
  'clusterroles,clusterrolebindings,validatingwebhookconfigurations,mutatingwebhookconfigurations,priorityclasses,flowschemas,prioritylevelconfigurations';

/** The chart goes and comes back. */
export const uninstallCase: Case = {
  name: 'uninstall',
  shows: 'without the chart machines and VMs stay; installed again it finds them; without machines nothing is left',
  needs: { release: 'own', alone: true },
  async run(scene) {
    await install(scene, shared);
    await raise(scene, 3);
    const before = await identities(scene);
    await uninstall(scene, shared);
    await expectGone(scene);
    await expectSame(scene, before);
    await install(scene, shared);
    await scene.kubectl('scale', 'mcd', 'pool', '--replicas=4');
    await whenRunning(scene, 4);
    await expectKept(scene, before);
    await scene.kubectl('delete', 'mcd', 'pool', '--timeout=90s');
    await scene.kubectl('wait', 'mc', '--all', '--for=delete', '--timeout=90s');
    await uninstall(scene, shared);
    await expectGone(scene);
  },
  cleanUp: (scene) => uninstall(scene, shared),
};

/** All who were there are there, and one more. */
async function expectKept(scene: Scene, before: Awaited<ReturnType<typeof identities>>): Promise<void> {
  const now = await identities(scene);
  for (const what of ['machines', 'vms'] as const)
    for (const [name, is] of Object.entries(before[what]))
      expectThat(now[what][name] === is, `${what}: ${name} was ${is} and is ${now[what][name] ?? 'gone'}`);
}

async function expectGone(scene: Scene): Promise<void> {
  for (const component of ['controller', 'webhook'] as const)
    await scene.until(
      `the ${component} pods to be gone`,
      async () => (await podsOf(scene, shared, component)).length === 0,
    );
  const left = await scene.kubectl('get', CLUSTER_WIDE, '-o', 'name');
  const ours = left.split('\n').filter((name) => name.split('/')[1]?.startsWith(fullname(shared)));
  expectThat(ours.length === 0, `the uninstalled chart leaves ${ours.join(', ')}`);
  const crds = await scene.kubectl('get', 'crds', '-o', 'name');
  expectThat(
    crds.includes('machines.machine.sapcloud.io'),
    'the CRDs, and all machines with them, went with the chart',
  );
}
