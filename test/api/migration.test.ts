import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import { leases } from '../../controller/runtime/k8s/core.ts';
import { installCrds } from '../../hack/controlplane/manifests.ts';
import { until } from '../../hack/lib/until.ts';
import { canBuildGo } from '../../hack/tools/gomodule.ts';
import type { Machine } from '../../schemas/machine.ts';
import { type ControllerProcess, startController } from './support/controllerprocess.ts';
import { type OwnCluster, ownControlPlane } from './support/controlplane.ts';
import { Herd } from './support/herd.ts';
import { type Mcm, mcmCrds, startMcm } from './support/mcm.ts';

/** MCM itself makes a herd, Drover takes over, and MCM takes it back; the tests build on each other. */

setDefaultTimeout(180_000);

const OUR_CRDS = join(import.meta.dir, '../../charts/drover/files/crds');
/** MCM fills in nothing. Its retries take seconds, so that all machines are rolled at once. */
const strategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 3, maxUnavailable: 0 } };
const TAINT = { key: 'example.io/dedicated', value: 'a', effect: 'NoSchedule' };
const PATIENCE = { timeoutMs: 90_000, everyMs: 250 };

const herd = new Herd();
let cluster: OwnCluster;
let mcm: Mcm;
let drover: ControllerProcess;
/** The machines that MCM has made. */
let made: Machine[];

const uids = (machines: readonly Machine[]): string[] => machines.map(({ metadata }) => metadata.uid ?? '').sort();

const madeSets = async (): Promise<string[]> => (await herd.sets()).map(({ metadata }) => metadata.name).sort();

/** Who holds each of MCM's leases. */
const holders = (): Promise<Array<string | undefined>> =>
  Promise.all(
    ['machine-controller-manager', 'machine-controller'].map(
      async (name) => (await herd.api.get(leases, { namespace: herd.namespace, name })).spec?.holderIdentity,
    ),
  );

/** Drover's leases lie beside those of MCM, so that both cannot work at once. */
async function startDrover(): Promise<ControllerProcess> {
  const account = '--serviceaccount=drover-system:drover-controller';
  await cluster.kubectl([
    'create',
    '-n',
    herd.namespace,
    'role',
    'leases',
    '--verb=get,create,update',
    '--resource=leases',
  ]);
  await cluster.kubectl(['create', '-n', herd.namespace, 'rolebinding', 'leases', '--role=leases', account]);
  const flags = [`--leader-elect-namespace=${herd.namespace}`];
  return startController({ cluster, namespace: herd.namespace, flags });
}

describe.skipIf(!canBuildGo)('a herd moves between MCM and Drover', () => {
  beforeAll(async () => {
    cluster = await ownControlPlane({ bare: true });
    await installCrds(cluster.admin, await mcmCrds());
    herd.settle(cluster, await cluster.namespace('herd'));
    await cluster.kubectl(['create', 'namespace', 'drover-virtual-cloud']);
    mcm = await startMcm(cluster, herd.namespace);
  }, 900_000);

  afterAll(async () => {
    await mcm?.stop();
    await drover?.stop();
    await cluster?.end();
  });

  test('MCM makes it, and has rolled it once', async () => {
    await herd.apply({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'small' },
      stringData: { userData: '#!/bin/sh' },
    });
    await herd.apply({
      apiVersion: 'machine.sapcloud.io/v1alpha1',
      kind: 'MachineClass',
      metadata: { name: 'small' },
      provider: 'virtual',
      providerSpec: {},
      secretRef: { name: 'small', namespace: herd.namespace },
    });
    await herd.makeDeployment({ replicas: 3, strategy });
    await herd.whenRunning(3, PATIENCE);
    const template = { metadata: { labels: { round: '2' } }, spec: { nodeTemplate: { spec: { taints: [TAINT] } } } };
    await herd.kubectl('patch', 'mcd', 'pool', '--type=merge', '-p', JSON.stringify({ spec: { template } }));
    const isNew = ({ metadata }: Machine) => metadata.labels?.['round'] === '2';
    await until('a rollout', async () => (await herd.whenRunning(3, PATIENCE)).every(isNew), PATIENCE);
    made = await herd.whenRunning(3, PATIENCE);
    expect(await madeSets()).toHaveLength(2);
  });

  test('Drover stands by while MCM runs, and leads when it has stopped', async () => {
    const before = await holders();
    await installCrds(cluster.admin, OUR_CRDS);
    drover = await startDrover();
    await herd.eventually('Drover to wait for the leases', async () =>
      (await drover.lines()).some((line) => line.includes('lease')),
    );
    expect(await holders()).toEqual(before);
    await mcm.stop();
    await drover.working();
  });

  test('no machine is replaced, no VM made, and no set', async () => {
    const sets = await madeSets();
    await herd.kubectl('wait', 'mc', '--all', '--for=condition=NodeHealthy', '--timeout=60s');
    await herd.kubectl('wait', 'mc', '--all', '--for=condition=VMUpToDate', '--timeout=60s');
    expect(uids(await herd.whenRunning(3))).toEqual(uids(made));
    expect(await madeSets()).toEqual(sets);
  });

  test('Drover takes off what MCM has put on Nodes once the template drops it (hack/decisions/0028 T19)', async () => {
    const machines = await herd.whenRunning(3);
    const tainted = async () =>
      (await herd.nodesOf(machines)).filter(({ spec }) => spec?.taints?.some(({ key }) => key === TAINT.key)).length;
    expect(await tainted()).toBe(3);
    const template = { spec: { nodeTemplate: null } };
    await herd.kubectl('patch', 'mcd', 'pool', '--type=merge', '-p', JSON.stringify({ spec: { template } }));
    await herd.eventually('the taint to go', async () => (await tainted()) === 0);
    expect(uids(await herd.whenRunning(3))).toEqual(uids(made));
  });

  test('Drover scales what MCM made, and makes no new set for it', async () => {
    const sets = await madeSets();
    await herd.kubectl('scale', 'mcd', 'pool', '--replicas=4');
    const machines = await herd.whenRunning(4, PATIENCE);
    expect(uids(machines)).toEqual(expect.arrayContaining(uids(made)));
    expect(await madeSets()).toEqual(sets);
    made = machines;
  });

  test('MCM takes over from Drover again, and replaces nothing', async () => {
    const sets = await madeSets();
    expect(await drover.stop()).toBe(0);
    mcm = await startMcm(cluster, herd.namespace);
    await herd.kubectl('scale', 'mcd', 'pool', '--replicas=5');
    const machines = await herd.whenRunning(5, PATIENCE);
    expect(uids(machines)).toEqual(expect.arrayContaining(uids(made)));
    expect(await madeSets()).toEqual(sets);
  });

  test('the Nodes that MCM deletes go, those that stay keep their machines', async () => {
    await herd.kubectl('scale', 'mcd', 'pool', '--replicas=2');
    const machines = await herd.whenRunning(2, PATIENCE);
    expect(await herd.nodesOf(machines)).toHaveLength(2);
  });
});
