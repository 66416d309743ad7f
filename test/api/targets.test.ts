import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { Api } from '../../controller/runtime/client/api.ts';
import { systemClock as clock } from '../../controller/runtime/clock.ts';
import { configMaps, nodes } from '../../controller/runtime/k8s/core.ts';
import { startController } from './support/controllerprocess.ts';
import { type Cluster, controlPlane, type OwnCluster, ownControlPlane } from './support/controlplane.ts';
import { Herd } from './support/herd.ts';

const RBAC = 'charts/drover/files/rbac/controller.yaml';

setDefaultTimeout(180_000);

let control: Cluster;
let target: OwnCluster;
let herd: Herd;

beforeAll(async () => {
  [control, target] = await Promise.all([controlPlane(), ownControlPlane()]);
  herd = new Herd().settle(control, await control.namespace('targets'));
  await herd.makeClass('small');
});

afterAll(() => target.end());

describe('the clusters of a controller', () => {
  test('may be two: machines here, their Nodes and the virtual cloud there', async () => {
    expect((await target.kubectl(['apply', '-f', RBAC])).code).toBe(0);
    const there = await target.serviceAccount('drover-system', 'drover-controller');
    const flags = [`--target-kubeconfig=${there.kubeconfig}`];
    const controller = await startController({ cluster: control, namespace: herd.namespace, flags });
    await herd.apply(herd.alone('far', 'small'));
    await herd.kubectl('wait', 'mc/far', '--for=condition=NodeHealthy', '--timeout=45s');
    const api = new Api({ connection: target.admin, clock });
    expect((await api.get(nodes, { name: 'far' })).spec?.providerID).toStartWith('virtual:///');
    expect((await api.list(configMaps, { namespace: 'drover-virtual-cloud' })).items.length).toBe(1);
    expect(await herd.nodesOf(await herd.machines())).toEqual([]);
    await herd.kubectl('delete', 'mc/far', '--timeout=45s');
    expect((await api.list(nodes)).items).toEqual([]);
    expect(await controller.stop()).toBe(0);
  });

  test('may be one: with no target, machines join nothing and are Available', async () => {
    const flags = ['--target-kubeconfig=none'];
    const controller = await startController({ cluster: control, namespace: herd.namespace, flags });
    await herd.apply(herd.alone('lone', 'small'));
    const available = '--for=jsonpath={.status.currentStatus.phase}=Available';
    await herd.kubectl('wait', 'mc/lone', available, '--timeout=45s');
    const [machine] = await herd.machines();
    expect(machine?.spec?.providerID).toBe(`virtual:///${machine?.metadata.uid}`);
    expect(machine?.metadata.labels?.['node']).toBeUndefined();
    expect((await herd.vms()).length).toBe(1);
    expect(await herd.nodesOf(await herd.machines())).toEqual([]);
    await herd.kubectl('delete', 'mc/lone', '--timeout=45s');
    expect(await herd.vms()).toEqual([]);
    expect(await controller.stop()).toBe(0);
  });
});

test('a command line that cannot be is refused with all that is wrong, and exit code 2', async () => {
  const child = Bun.spawn([process.execPath, 'controller/main.ts', '--conrol-kubeconfig=x', '--port=70000'], {
    stderr: 'pipe',
  });
  expect(await child.exited).toBe(2);
  const said = await child.stderr.text();
  expect(said).toContain('did you mean --control-kubeconfig?');
  expect(said).toContain('--port: ');
});

test('a kubeconfig that is not there ends the controller with a sentence that names it', async () => {
  const args = ['--control-kubeconfig=/nowhere/kubeconfig', '--port=0', '--address=127.0.0.1'];
  const child = Bun.spawn([process.execPath, 'controller/main.ts', ...args], { stdout: 'pipe' });
  expect(await child.exited).toBe(1);
  expect(await child.stdout.text()).toContain('/nowhere/kubeconfig');
});
