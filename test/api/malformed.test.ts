import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { installCrds } from '../../hack/controlplane/manifests.ts';
import { type ControllerProcess, startController } from './support/controllerprocess.ts';
import { type OwnCluster, ownControlPlane } from './support/controlplane.ts';
import { Herd } from './support/herd.ts';

/** hack/decisions/0028 R4: objects that were stored before a CRD required what we read. */

setDefaultTimeout(180_000);

const CRDS = 'charts/drover/files/crds';
const PATIENCE = { timeoutMs: 40_000, everyMs: 100 };

let cluster: OwnCluster;
let controller: ControllerProcess;
const herd = new Herd();

beforeAll(async () => {
  cluster = await ownControlPlane();
  herd.settle(cluster, await cluster.namespace('malformed'));
});

afterAll(async () => {
  await controller?.kill();
  await cluster?.end();
});

/** The kinds require nothing, as MCM's do. */
async function requireNothing(...names: string[]): Promise<void> {
  const patch = [{ op: 'remove', path: '/spec/versions/0/schema/openAPIV3Schema/required' }];
  for (const name of names) {
    const { code, stderr } = await cluster.kubectl([
      'patch',
      `crd/${name}`,
      '--type=json',
      '-p',
      JSON.stringify(patch),
    ]);
    expect([stderr, code]).toEqual(['', 0]);
  }
}

const east = { apiVersion: 'drover.dev/v1alpha1', kind: 'Cluster', metadata: { name: 'east' } };
const rump = { apiVersion: 'machine.sapcloud.io/v1alpha1', kind: 'MachineDeployment', metadata: { name: 'rump' } };

test('a MachineDeployment and a Cluster without a spec stop nothing but themselves, at the start and later', async () => {
  await requireNothing('machinedeployments.machine.sapcloud.io', 'clusters.drover.dev');
  const stored = async (one: typeof east) =>
    herd.eventually(
      'it to be stored',
      () =>
        herd.apply(one).then(
          () => true,
          () => false,
        ),
      PATIENCE,
    );
  for (const one of [east, rump]) await stored(one);
  await installCrds(cluster.admin, CRDS);
  await expect(herd.apply({ ...rump, metadata: { name: 'late' } })).rejects.toThrow('spec: Required value');

  controller = await startController({ cluster, namespace: herd.namespace });
  await controller.working();
  await herd.makeClass('small');
  await herd.makeDeployment({ replicas: 1 });
  await herd.whenRunning(1, PATIENCE);

  await requireNothing('machinedeployments.machine.sapcloud.io');
  await stored({ ...rump, metadata: { name: 'later' } });
  await herd.kubectl('scale', 'mcd/pool', '--replicas=2');
  await herd.whenRunning(2, PATIENCE);

  const lines = await controller.lines();
  for (const name of ['rump', 'later']) {
    const says = `MachineDeployment ${herd.namespace}/${name} has no spec: give it one, or delete it`;
    expect(lines.some((line) => line.includes(says))).toBe(true);
  }
  const metrics = await (await fetch(`${controller.url}/metrics`)).text();
  expect(metrics).toContain('mcm_machine_deployment_items_total 3');
  expect(metrics).toContain('mcm_machine_deployment_info_spec_replicas{');
  expect(metrics).not.toMatch(/scrape_failure_total\{[^}]*\} [1-9]/);
  expect(await controller.stop()).toBe(0);
});
