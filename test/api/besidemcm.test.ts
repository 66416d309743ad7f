import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { leases } from '../../controller/runtime/k8s/core.ts';
import { canBuildGo } from '../../hack/tools/gomodule.ts';
import type { Machine } from '../../schemas/machine.ts';
import { type ControllerProcess, startController } from './support/controllerprocess.ts';
import { type OwnCluster, ownControlPlane } from './support/controlplane.ts';
import { Herd } from './support/herd.ts';
import { type Mcm, startMcm } from './support/mcm.ts';
import { startRegistered, type WebhookProcess } from './support/webhookprocess.ts';

/**
 * MCM's own machine controller makes the machines, as Gardener's provider does for each cloud; Drover brings the webhook, the
 * sets and the deployments (charts/drover/BESIDE_MCM.md). The tests build on each other.
 */

setDefaultTimeout(180_000);

const PATIENCE = { timeoutMs: 90_000, everyMs: 250 };
const TAINT = { key: 'example.io/dedicated', value: 'a', effect: 'NoSchedule' };

const herd = new Herd();
let cluster: OwnCluster;
let webhook: WebhookProcess;
let mcm: Mcm;
let drover: ControllerProcess;

const holderOf = async (name: string) =>
  (await herd.api.get(leases, { namespace: herd.namespace, name })).spec?.holderIdentity ?? '';

const tainted = async () => (await herd.machines()).filter(({ spec }) => spec?.taints?.[0]?.key === TAINT.key);

async function startDrover(): Promise<ControllerProcess> {
  const account = '--serviceaccount=drover-system:drover-controller';
  await herd.kubectl('create', 'role', 'leases', '--verb=get,create,update', '--resource=leases');
  await herd.kubectl('create', 'rolebinding', 'leases', '--role=leases', account);
  const flags = [
    `--leader-elect-namespace=${herd.namespace}`,
    '--controllers=machinedeployment,machineset',
    '--drivers=',
  ];
  const controller = await startController({ cluster, namespace: herd.namespace, flags });
  await controller.working();
  return controller;
}

describe.skipIf(!canBuildGo)('MCM’s machine controller under Drover’s sets and deployments', () => {
  beforeAll(async () => {
    cluster = await ownControlPlane();
    herd.settle(cluster, await cluster.namespace('herd'));
    webhook = await startRegistered(cluster, ['--drivers=']);
    mcm = await startMcm(cluster, herd.namespace, 'machines');
    drover = await startDrover();
  }, 900_000);

  afterAll(async () => {
    await drover?.stop();
    await mcm?.stop();
    await webhook?.stop();
    await cluster?.end();
  });

  test('each of the two leads for its part', async () => {
    await herd.eventually('MCM to lead', async () => (await holderOf('machine-controller')) !== '', PATIENCE);
    expect(await holderOf('machine-controller-manager')).not.toBe(await holderOf('machine-controller'));
  });

  test('a deployment is made: sets and machines by Drover, VMs and Nodes by MCM', async () => {
    const userData = { userData: '#!/bin/sh' };
    await herd.apply({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'small' }, stringData: userData });
    await herd.apply({
      apiVersion: 'machine.sapcloud.io/v1alpha1',
      kind: 'MachineClass',
      metadata: { name: 'small' },
      provider: 'virtual',
      providerSpec: {},
      secretRef: { name: 'small', namespace: herd.namespace },
    });
    await herd.makeDeployment({ replicas: 3 });
    const machines = await herd.whenRunning(3, PATIENCE);
    expect(await herd.nodesOf(machines)).toHaveLength(3);
    // By this rollouts know which Nodes they may mark (hack/decisions/0028 T22).
    const areNamed = async () =>
      (await herd.nodesOf(machines)).every(
        ({ metadata }) => metadata.labels?.['node.gardener.cloud/machine-name'] === metadata.name,
      );
    await herd.eventually('MCM to have named the Nodes', areNamed, PATIENCE);
    // Drover's controller of machines would have told why.
    expect(machines.filter(({ status }) => status?.currentStep)).toEqual([]);
    await herd.kubectl('wait', 'mcd/pool', '--for=jsonpath={.status.availableReplicas}=3', '--timeout=60s');
  });

  test('what MCM’s types do not know reaches machines that it looks after', async () => {
    const patch = { spec: { template: { spec: { taints: [{ ...TAINT, propagation: 'Always' }] } } } };
    await herd.kubectl('patch', 'mcd/pool', '--type=merge', '-p', JSON.stringify(patch));
    await herd.eventually('the taint on all machines', async () => (await tainted()).length === 3, PATIENCE);
  });

  test('it scales up and down', async () => {
    await herd.kubectl('scale', 'mcd/pool', '--replicas=5');
    await herd.whenRunning(5, PATIENCE);
    await herd.kubectl('scale', 'mcd/pool', '--replicas=2');
    const left = await herd.whenRunning(2, PATIENCE);
    expect(await herd.nodesOf(left)).toHaveLength(2);
  });

  test('the machine that a cluster-autoscaler marked goes first', async () => {
    const [, marked] = await herd.machines();
    const name = marked?.metadata.name ?? '';
    await herd.kubectl('annotate', `mc/${name}`, 'machine.sapcloud.io/delete-machine=now');
    await herd.kubectl('scale', 'mcd/pool', '--replicas=1');
    const left = await herd.whenRunning(1, PATIENCE);
    expect(left.map(({ metadata }) => metadata.name)).not.toContain(name);
  });

  test('it rolls, and is complete', async () => {
    await herd.kubectl('scale', 'mcd/pool', '--replicas=3');
    const before = new Set((await herd.whenRunning(3, PATIENCE)).map(({ metadata }) => metadata.uid));
    const patch = { spec: { template: { metadata: { labels: { round: '2' } } } } };
    await herd.kubectl('patch', 'mcd/pool', '--type=merge', '-p', JSON.stringify(patch));
    const isNew = ({ metadata }: Machine) => metadata.labels?.['round'] === '2' && !before.has(metadata.uid);
    await herd.eventually('the rollout', async () => (await herd.whenRunning(3, PATIENCE)).every(isNew), {
      timeoutMs: 100_000,
      everyMs: 250,
    });
    await herd.kubectl('wait', 'mcd/pool', '--for=jsonpath={.status.updatedReplicas}=3', '--timeout=30s');
    // MCM has written each of them since, by a PUT without the fields that it does not know.
    expect(await tainted()).toHaveLength(3);
    expect(await herd.sets()).toHaveLength(2);
  });

  test('a mistake is refused before either of them sees it', async () => {
    const patch = JSON.stringify({ spec: { template: { metadata: { labels: { pool: 'other' } } } } });
    const { code, stderr } = await cluster.kubectl([
      '-n',
      herd.namespace,
      'patch',
      'mcd/pool',
      '--type=merge',
      '-p',
      patch,
    ]);
    expect([code, stderr]).toEqual([1, expect.stringContaining('spec.selector: must match')]);
  });

  test('all goes with the deployment: machines, VMs and Nodes', async () => {
    const machines = await herd.machines();
    await herd.kubectl('delete', 'mcd/pool', '--wait=false');
    await herd.eventually('the herd to be gone', async () => (await herd.machines()).length === 0, PATIENCE);
    expect(await herd.vms()).toEqual([]);
    expect(await herd.nodesOf(machines)).toEqual([]);
  });
});
