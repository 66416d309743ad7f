import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Api } from '../../controller/runtime/client/api.ts';
import { systemClock as clock } from '../../controller/runtime/clock.ts';
import { call } from '../../hack/controlplane/call.ts';
import { until } from '../../hack/lib/until.ts';
import { examplesFolder } from '../../schemas/examples.fixture.ts';
import { LABEL_CLUSTER } from '../../schemas/keys.ts';
import { resources } from '../../schemas/kinds.ts';
import { clusterNamed, machineIn, machineOf, setOf } from '../admission/among.ts';
import { expectGolden } from '../golden.ts';
import { startController } from './support/controllerprocess.ts';
import { type OwnCluster, ownControlPlane } from './support/controlplane.ts';
import { Herd } from './support/herd.ts';
import { startRegistered, type WebhookProcess } from './support/webhookprocess.ts';

/** The kind Cluster as people meet it, on an API server that asks the webhook; at first the kind is not installed. */

setDefaultTimeout(180_000);

const CRD = 'crd/clusters.drover.dev';
const CRD_FILE = join(import.meta.dir, '../../charts/drover/files/crds/clusters.drover.dev.yaml');

let cluster: OwnCluster;
let webhook: WebhookProcess;
let api: Api;

const kubectl = (args: string, stdin: object | string = '') =>
  cluster.kubectl(args.split(' '), { stdin: typeof stdin === 'string' ? stdin : JSON.stringify(stdin) });

beforeAll(async () => {
  cluster = await ownControlPlane();
  api = new Api({ connection: cluster.admin, clock });
  await kubectl(`delete ${CRD}`);
  webhook = await startRegistered(cluster);
});

afterAll(async () => {
  await webhook?.stop();
  await cluster?.end();
});

test('a controller without the kind brings machines to life that name no Cluster, and says nothing of it', async () => {
  const herd = new Herd().settle(cluster, await cluster.namespace('unserved'));
  const controller = await startController({ cluster, namespace: herd.namespace });
  await herd.makeClass('small');
  await kubectl(`create -n ${herd.namespace} -f -`, machineOf('one'));
  await herd.eventually(
    'the machine to run',
    async () => (await herd.machines())[0]?.status?.currentStatus?.phase === 'Running',
  );
  const told = (await controller.lines()).filter((line) => line.includes('"resource":"clusters"'));
  expect(await controller.stop()).toBe(0);
  expect(told).toEqual([]);
});

test('a webhook without the kind is ready, and takes labels as they come; with it, it judges them', async () => {
  const namespace = await cluster.namespace('unserved');
  expect(await kubectl(`create -n ${namespace} -f -`, machineIn('early', 'west'))).toMatchObject({ code: 0 });
  expect(await kubectl(`apply -f ${CRD_FILE}`)).toMatchObject({ code: 0 });
  await kubectl(`wait --for=condition=Established ${CRD} --timeout=20s`);
  const refused = async () => {
    const { code, stderr } = await kubectl(
      `create -n ${namespace} -f -`,
      machineIn(`m-${crypto.randomUUID()}`, 'west'),
    );
    return code === 1 && stderr.includes('names no Cluster of this namespace');
  };
  await until('the webhook to see the kind', refused, { timeoutMs: 30_000, everyMs: 500 });
  expect(await kubectl(`annotate -n ${namespace} mc early note=mine`)).toMatchObject({ code: 0 });
});

test('a Cluster and what names it are applied together, time and again', async () => {
  const example = readFileSync(join(examplesFolder, 'cluster.yaml'), 'utf8');
  for (let turn = 0; turn < 5; turn++) {
    const namespace = await cluster.namespace('together');
    expect(await kubectl(`apply -n ${namespace} -f -`, example)).toMatchObject({
      code: 0,
      stderr: expect.not.stringContaining('refused'),
    });
  }
});

test('kubectl shows how a Cluster is, and what is refused of it', async () => {
  const namespace = await cluster.namespace('seen');
  const said: string[] = [];
  const run = async (command: string, stdin: object | string = '') => {
    const { code, stdout, stderr } = await kubectl(`-n ${namespace} ${command}`, stdin);
    said.push(`$ kubectl ${command}\n${stdout}${stderr}exit code ${code}\n`.replaceAll(namespace, 'NAMESPACE'));
  };
  const west = clusterNamed('west');
  west.spec.deletionProtection = true;
  await run('create -f -', west);
  await run('create -f -', machineIn('one', 'west'));
  await run('create --dry-run=server -f -', machineIn('two', 'north'));
  await run('create -f -', machineIn('two', 'north'));
  await report(namespace);
  await run('get dcl --no-headers=false -o custom-columns=NAME:.metadata.name,PROTECTED:.spec.deletionProtection');
  expect((await kubectl(`-n ${namespace} get dcl`)).stdout).toMatch(
    /^NAME +REACHABLE +FROZEN +PAUSED +MACHINES +AGE\nwest +True +False +False +1 +\S+\n$/,
  );
  await run('delete dcl west');
  await run(`patch dcl west --type=merge -p {"spec":{"kubeconfigSecretRef":{"name":"other"}}}`);
  await run(`patch dcl west --type=merge -p {"spec":{"deletionProtection":false}}`);
  await run('delete dcl west');
  await expectGolden(join(import.meta.dir, 'testdata/webhook/clusters.txt'), said.join('\n'));
});

/** The status as a controller writes it. */
async function report(namespace: string): Promise<void> {
  const condition = (type: string, status: string) => ({
    type,
    status,
    reason: 'Told',
    message: '',
    lastTransitionTime: '2026-01-31T08:00:00Z',
  });
  const conditions = [condition('Reachable', 'True'), condition('Frozen', 'False'), condition('Paused', 'False')];
  await call(cluster.admin, {
    method: 'PATCH',
    path: `/apis/drover.dev/v1alpha1/namespaces/${namespace}/clusters/west/status`,
    contentType: 'application/merge-patch+json',
    body: { status: { machines: 1, conditions } },
  });
}

test('a set makes no more machines in a Cluster that is being deleted, and loses none; both go with the last', async () => {
  const herd = new Herd().settle(cluster, await cluster.namespace('going'));
  const { namespace } = herd;
  const phases = async () => (await herd.machines()).map(({ status }) => status?.currentStatus?.phase);
  const failure = async () =>
    (await api.get(resources.machineSets, { namespace, name: 'herd' })).status?.machineSetCondition?.find(
      ({ type }) => type === 'ReplicaFailure',
    )?.message ?? '';
  await kubectl(`-n ${namespace} create secret generic west-kubeconfig --from-file=kubeconfig=${cluster.kubeconfig}`);
  await kubectl(`-n ${namespace} create -f -`, clusterNamed('west'));
  await herd.makeClass('small');
  const set = setOf('herd', { app: 'herd' });
  const metadata = { name: 'herd', labels: { [LABEL_CLUSTER]: 'west' } };
  expect(
    await kubectl(`-n ${namespace} create -f -`, { ...set, metadata, spec: { ...set.spec, replicas: 1 } }),
  ).toMatchObject({ code: 0 });
  const controller = await startController({ cluster, namespace });
  await herd.eventually('a machine to run', async () => (await phases()).join() === 'Running');
  await kubectl(`-n ${namespace} delete dcl west --wait=false`);
  await kubectl(`-n ${namespace} scale mcs herd --replicas=2`);
  await herd.eventually('the set to be refused', async () => (await failure()).includes('being deleted'));
  expect(await phases()).toEqual(['Running']);
  await kubectl(`-n ${namespace} delete mcs herd`);
  expect(await kubectl(`-n ${namespace} wait dcl/west --for=delete --timeout=20s`)).toMatchObject({ code: 0 });
  expect(await controller.stop()).toBe(0);
});

describe('a protected Cluster', () => {
  const shielded = async (prefix: string) => {
    const namespace = await cluster.namespace(prefix);
    const west = clusterNamed('west');
    await api.create(resources.clusters, {
      ...west,
      metadata: { namespace, name: 'west' },
      spec: { ...west.spec, deletionProtection: true },
    });
    await api.create(resources.clusters, { ...clusterNamed('east'), metadata: { namespace, name: 'east' } });
    return namespace;
  };
  const names = async (namespace: string) =>
    (await api.list(resources.clusters, { namespace })).items.map(({ metadata }) => metadata.name);

  test('outlives the emptying of its namespace, as the end of a namespace does it', async () => {
    const namespace = await shielded('emptied');
    const path = `/apis/drover.dev/v1alpha1/namespaces/${namespace}/clusters`;
    await expect(call(cluster.admin, { method: 'DELETE', path })).rejects.toThrow('so the Cluster cannot be deleted');
    await until('the other one to go', async () => (await names(namespace)).length === 1, { timeoutMs: 10_000 });
    expect(await names(namespace)).toEqual(['west']);
  });

  test('stays while the webhook is down, and one without protection can go', async () => {
    const namespace = await shielded('down');
    await webhook.kill();
    expect(await kubectl(`delete -n ${namespace} dcl west`)).toMatchObject({ code: 1 });
    expect(await kubectl(`delete -n ${namespace} dcl east`)).toMatchObject({ code: 0 });
    expect(await names(namespace)).toEqual(['west']);
  });
});
