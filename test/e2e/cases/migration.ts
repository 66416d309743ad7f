import { microTimestamp } from '../../../controller/runtime/k8s/object.ts';
import { canBuildGo } from '../../../hack/tools/gomodule.ts';
import { type Mcm, mcmCrds, startMcm } from '../../api/support/mcm.ts';
import type { Case } from '../case.ts';
import { expectSame, identities, pool, virtualClass, whenRunning } from '../herd.ts';
import { walkPage } from '../page.ts';
import { shared, uninstall } from '../release.ts';
import { expectThat } from '../said.ts';
import type { Manifest, Scene } from '../scene.ts';

/** MCM runs beside the cluster while its Deployment has a pod: there is no image of it here. */
let mcm: Mcm | undefined;
/** Its Nodes have no kubelet, and its driver does not stand in for one: without heart-beats they would be lost in a minute. */
let beating: AbortController | undefined;
const BEAT_MS = 10_000;

/** MCM itself has a herd, Drover takes over, and MCM takes it back. */
export const migration: Case = {
  name: 'migration',
  shows: 'the commands of MIGRATION.md move a herd from MCM itself to Drover and back, and no machine is replaced',
  needs: { release: 'own', alone: true },
  async run(elsewhere) {
    if (!canBuildGo) elsewhere.skip('machine-controller-manager cannot be built without Go');
    const scene = elsewhere.in('default');
    await raiseByMcm(scene);
    const before = await identities(scene);
    await walkPage(scene, 'charts/drover/MIGRATION.md', async (command) => {
      if (command.startsWith('helm install')) await expectHanded(scene);
      if (!command.startsWith('kubectl scale deployment machine-controller-manager')) return;
      if (command.endsWith('--replicas=0')) await stopMcm();
      else await runMcm(scene);
    });
    await scene.kubectl('scale', 'mcd', 'pool', '--replicas=4');
    await whenRunning(scene, 4);
    await scene.kubectl('scale', 'mcd', 'pool', '--replicas=3');
    await whenRunning(scene, 3);
    const { machines } = await identities(scene);
    const kept = Object.keys(before.machines).filter((name) => name in machines);
    expectThat(kept.length >= 2, `of the machines that were there ${kept.length} are left`);
    await scene.kubectl('delete', 'mcd', 'pool', '--timeout=90s');
  },
  async cleanUp(elsewhere) {
    await stopMcm();
    const scene = elsewhere.in('default');
    await uninstall(scene, shared);
    const left = ['deployment/machine-controller-manager', 'secret/small'];
    await scene.kubectl('delete', ...left, '--ignore-not-found', '--wait=false');
  },
};

async function runMcm(scene: Scene): Promise<void> {
  mcm = await startMcm(await place(scene), scene.namespace);
  beating = new AbortController();
  void beat(scene, beating.signal);
}

/** Renews the Leases of the pool's Nodes, as kubelets do. */
async function beat(scene: Scene, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const nodes = await scene.list('nodes').catch(() => []);
    const ours = nodes.map(({ metadata }) => metadata.name).filter((name) => name.startsWith('pool-'));
    if (ours.length > 0)
      await scene
        .in('kube-node-lease')
        .apply(...ours.map(lease))
        .catch(() => undefined);
    await Bun.sleep(BEAT_MS);
  }
}

const lease = (name: string): Manifest => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name },
  spec: { holderIdentity: name, leaseDurationSeconds: 40, renewTime: microTimestamp(Date.now()) },
});

async function stopMcm(): Promise<void> {
  beating?.abort();
  await mcm?.stop();
  mcm = undefined;
}

/** MCM's kinds, its Deployment, and a herd that it has made. */
async function raiseByMcm(scene: Scene): Promise<void> {
  await scene.kubectl('apply', '-f', await mcmCrds());
  await scene.kubectl('wait', 'crd', 'machines.machine.sapcloud.io', '--for=condition=Established', '--timeout=30s');
  await scene.kubectl('create', 'namespace', 'drover-virtual-cloud');
  await scene.apply(standIn(scene), bootstrap(), {
    ...virtualClass(),
    secretRef: { name: 'small', namespace: 'default' },
  });
  await runMcm(scene);
  await scene.apply(pool(3));
  await whenRunning(scene, 3);
}

/** Where the cluster is, and where MCM may write its log. */
async function place(scene: Scene): Promise<{ kubeconfig: string; folder: string }> {
  const { stdout } = await scene.terminal.bash('echo "$KUBECONFIG $HELM_DATA_HOME"', scene.surroundings.root);
  const [kubeconfig = '', data = ''] = stdout.trim().split(' ');
  return { kubeconfig, folder: data.replace(/\/data$/, '') };
}

/** Drover works, and what MCM made is as it was. */
async function expectHanded(scene: Scene): Promise<void> {
  const before = await identities(scene);
  await scene.kubectl('wait', 'mc', '--all', '--for=condition=NodeHealthy', '--timeout=90s');
  await expectSame(scene, before);
}

/** What the class needs, or MCM makes no VM. */
const bootstrap = (): Manifest => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'small' },
  stringData: { userData: '#!/bin/sh' },
});

/** A Deployment that looks like MCM's. */
function standIn(scene: Scene): Manifest {
  const labels = { role: 'machine-controller-manager' };
  const sleeper = { name: 'sleep', image: scene.surroundings.images.busybox, command: ['sleep', '86400'] };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'machine-controller-manager' },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          terminationGracePeriodSeconds: 0,
          containers: [{ ...sleeper, imagePullPolicy: 'IfNotPresent' }],
        },
      },
    },
  };
}
