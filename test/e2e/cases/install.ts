import { join } from 'node:path';
import type { Case } from '../case.ts';
import { machinesOf, vmsOf, whenRunning } from '../herd.ts';
import { isReady, podsOf, shared } from '../release.ts';
import { expectSays, expectThat } from '../said.ts';
import type { Scene, Seen } from '../scene.ts';

const HERD = 'schemas/examples/herd.yaml';

/** The chart on a cluster that has never seen it. */
export const install: Case = {
  name: 'install',
  shows: 'after helm install all pods are ready, helm test passes, and the example herd gives Ready Nodes',
  needs: { release: 'shared' },
  async run(scene) {
    await expectReady(scene);
    expectSays(await scene.terminal.helm(['test', shared.name, '-n', shared.namespace, '--logs']), 'Succeeded');
    await scene.kubectl('apply', '-f', join(scene.surroundings.root, HERD));
    const machines = await whenRunning(scene, 3);
    const vms = await vmsOf(scene);
    expectThat(vms.length === machines.length, `${machines.length} machines have ${vms.length} VMs`);
    await expectColumns(scene);
    await scene.kubectl('delete', '-f', join(scene.surroundings.root, HERD), '--timeout=90s');
    expectThat((await machinesOf(scene)).length === 0, 'machines are left of a herd that was deleted');
    expectThat((await vmsOf(scene)).length === 0, 'VMs are left of a herd that was deleted');
  },
};

async function expectReady(scene: Scene): Promise<void> {
  for (const component of ['controller', 'webhook'] as const) {
    const pods = await podsOf(scene, shared, component);
    expectThat(pods.length >= 2 && pods.every(isReady), `not all of the ${pods.length} ${component} pods are ready`);
    const hosts = new Set(pods.map(({ spec }) => spec.nodeName));
    expectThat(hosts.size > 1 || !scene.surroundings.ownCluster, `all ${component} pods run on one Node`);
  }
}

/** What people look at first. */
async function expectColumns(scene: Scene): Promise<void> {
  const shown = await scene.kubectl('get', 'mcd,mcs,mc');
  for (const part of ['READY', 'machinedeployment.machine.sapcloud.io/herd', 'Running']) expectSays(shown, part);
  const events = await scene.list<Seen & { reason: string }>('events');
  expectThat(events.length > 0, 'nothing tells of the herd by events');
}
