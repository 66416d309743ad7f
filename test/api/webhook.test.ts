import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { Api } from '../../controller/runtime/client/api.ts';
import { systemClock as clock } from '../../controller/runtime/clock.ts';
import { secrets } from '../../controller/runtime/k8s/core.ts';
import { until } from '../../hack/lib/until.ts';
import { resources } from '../../schemas/kinds.ts';
import type { Machine } from '../../schemas/machine.ts';
import type { MachineSet } from '../../schemas/machineset.ts';

import { clusterNamed } from '../admission/among.ts';
import { expectGolden } from '../golden.ts';
import { type OwnCluster, ownControlPlane } from './support/controlplane.ts';
import { admitHerders, bundles, startRegistered, startWebhook, type WebhookProcess } from './support/webhookprocess.ts';

const SECRET = 'drover-webhook-tls';

let cluster: OwnCluster;
let webhook: WebhookProcess;
let namespace: string;
let api: Api;

beforeAll(async () => {
  cluster = await ownControlPlane();
  namespace = await cluster.namespace('webhook');
  api = new Api({ connection: cluster.admin, clock });
  await admitHerders(cluster, namespace);
  const small = { apiVersion, kind: 'MachineClass', metadata: { namespace, name: 'small' }, provider: 'virtual' };
  await api.create(resources.machineClasses, { ...small, providerSpec: {} });
  for (const name of ['west', 'east']) {
    await api.create(resources.clusters, { ...clusterNamed(name), metadata: { namespace, name } });
  }
  webhook = await startRegistered(cluster);
}, 180_000);

afterAll(async () => {
  await webhook?.stop();
  await cluster?.end();
});

const kubectl = (as: string, args: string[], object?: object) =>
  cluster.kubectl(['-n', namespace, `--as=${as}`, ...args], { stdin: object ? JSON.stringify(object) : '' });

const labels = { app: 'herd' };
const spec = { class: { kind: 'MachineClass', name: 'small' } };
const apiVersion = 'machine.sapcloud.io/v1alpha1';

const deployment = (name: string, more: object = {}) => ({
  apiVersion,
  kind: 'MachineDeployment',
  metadata: { name, labels },
  spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec }, ...more },
});

const OVERRIDE = 'protected.drover.dev/reconcile-priority';
const CLUSTER = 'cluster.k8s.io/cluster-name';

test('kubectl shows what is refused, and why', async () => {
  const said: string[] = [];
  const run = async (as: string, command: string, [what, object]: [what?: string, object?: object] = []) => {
    const { code, stdout, stderr } = await kubectl(as, command.split(' '), object);
    said.push(`${as}$ kubectl ${command}${what ? `   # ${what}` : ''}\n${stdout}${stderr}exit code ${code}\n`);
  };
  const machine = { apiVersion, kind: 'Machine', metadata: { name: 'one', labels }, spec };
  const lost = deployment('herd', { replicas: 2, selector: { matchLabels: { app: 'flock' } } });
  await run('alice', 'apply -f -', ['a deployment of 2', deployment('herd', { replicas: 2 })]);
  await run('alice', 'apply -f -', ['another selector', lost]);
  await run('alice', 'create -f -', ['an empty selector', deployment('all', { selector: {} })]);
  await run('alice', 'scale mcd/herd --replicas=3');
  await run('alice', 'patch mcd herd --type=json -p [{"op":"remove","path":"/spec/selector"}]');
  await run('alice', `label mcd herd ${CLUSTER}=north`);
  await run('alice', `label mcd herd ${CLUSTER}=west`);
  await run('alice', `label mcd herd ${CLUSTER}-`);
  await run('alice', `label mcd herd --overwrite ${CLUSTER}=east`);
  await run('alice', 'create -f -', ['a machine', machine]);
  await run('alice', `annotate mc one ${OVERRIDE}=50`);
  await run('olga', `annotate mc one ${OVERRIDE}=500`);
  await run('olga', `annotate mc one ${OVERRIDE}=50`);
  await run('alice', 'replace -f -', ['the machine as it was made', machine]);
  await run('alice', 'patch mc one --type=merge -p {"spec":{"drainTimeout":"5m"}}');
  await expectGolden(join(import.meta.dir, 'testdata/webhook/kubectl.txt'), said.join('\n'));
});

describe('what a schema cannot default', () => {
  const replicasOf = async (name: string) =>
    (await api.get(resources.machineDeployments, { namespace, name })).spec.replicas;

  test('replicas are 0 when a creation leaves them out', async () => {
    await kubectl('alice', ['create', '-f', '-'], deployment('counted'));
    expect(await replicasOf('counted')).toBe(0);
  });

  test.each([
    ['kubectl apply', [], ['apply', '-f', '-'], 4],
    ['kubectl apply --server-side', ['--server-side'], ['apply', '--server-side', '-f', '-'], 4],
    ['kubectl patch', [], ['patch', 'mcd', 'kept', '--type=merge', '-p', '{"spec":{"replicas":null}}'], 4],
    ['kubectl replace', [], ['replace', '-f', '-'], 0],
  ])('replicas that %s takes away', async (_what, how, args, expected) => {
    await kubectl('alice', ['delete', 'mcd', 'kept', '--ignore-not-found']);
    await kubectl('alice', ['apply', ...how, '-f', '-'], deployment('kept', { replicas: 4 }));
    expect(await replicasOf('kept')).toBe(4);
    expect(await kubectl('alice', args, deployment('kept'))).toMatchObject({ code: 0 });
    expect(await replicasOf('kept')).toBe(expected);
  });

  test('replicas that a typed client leaves out of a PUT are 0', async () => {
    await kubectl('alice', ['create', '-f', '-'], deployment('put', { replicas: 4 }));
    const { spec, ...rest } = await api.get(resources.machineDeployments, { namespace, name: 'put' });
    await api.replace(resources.machineDeployments, { ...rest, spec: { ...spec, replicas: undefined } });
    expect(await replicasOf('put')).toBe(0);
  });

  test('a strategy that is only named gets its block', async () => {
    await kubectl('alice', ['create', '-f', '-'], deployment('rolling', { strategy: { type: 'RollingUpdate' } }));
    await kubectl('alice', ['create', '-f', '-'], deployment('inplace', { strategy: { type: 'InPlaceUpdate' } }));
    const strategyOf = async (name: string) =>
      (await api.get(resources.machineDeployments, { namespace, name })).spec.strategy;
    expect(await strategyOf('rolling')).toEqual({
      type: 'RollingUpdate',
      rollingUpdate: { maxSurge: 1, maxUnavailable: 0 },
    });
    expect(await strategyOf('inplace')).toMatchObject({ inPlaceUpdate: { maxSurge: 1, orchestrationType: 'Auto' } });
  });

  test('a set gets its selector, and its Cluster in the template', async () => {
    const metadata = { namespace, name: 'set', labels: { [CLUSTER]: 'west' } };
    const set = { apiVersion, kind: 'MachineSet', metadata, spec: { template: { metadata: { labels }, spec } } };
    const made = await api.create(resources.machineSets, set as MachineSet);
    expect(made.spec.selector).toEqual({ matchLabels: labels });
    expect(made.spec.template.metadata?.labels).toEqual({ ...labels, [CLUSTER]: 'west' });
  });
});

test('a scale is let through, with a warning when it leaves the bounds of an autoscaler', async () => {
  const bound = 'cluster.x-k8s.io/cluster-api-autoscaler-node-group';
  const metadata = { name: 'bounded', labels, annotations: { [`${bound}-min-size`]: '2', [`${bound}-max-size`]: '4' } };
  await kubectl('alice', ['create', '-f', '-'], { ...deployment('bounded', { replicas: 3 }), metadata });
  const said = async (replicas: number) => {
    const { code, stderr } = await kubectl('alice', ['scale', 'mcd/bounded', `--replicas=${replicas}`]);
    return `${code} ${stderr}`.trim();
  };
  expect(await said(4)).toBe('0');
  // The webhook sees the bounds through a watch.
  const warned = async () => [await said(9), await said(4)].find((text) => text !== '0');
  const warning = await until('a warning', warned, { timeoutMs: 5_000 });
  expect(warning).toBe(
    '0 Warning: spec.replicas: is 9, outside the 2 to 4 that the annotations allow a cluster-autoscaler, which may change it back',
  );
});

test('replicas of the webhook share one certificate, and API servers trust it', async () => {
  const before = await api.get(secrets, { namespace: 'drover-system', name: SECRET });
  const second = await startWebhook(cluster);
  const { data } = await api.get(secrets, { namespace: 'drover-system', name: SECRET });
  expect(data).toEqual(before.data ?? {});
  const ca = Buffer.from(data?.['ca.crt'] ?? '', 'base64').toString();
  expect(new Set(await bundles(cluster))).toEqual(new Set([ca]));
  const ready = await fetch(`https://127.0.0.1:${second.port}/readyz`, { tls: { ca } });
  expect(await ready.text()).toBe('ok');
  expect(await second.stop()).toBe(0);
});

describe('while the webhook is down', () => {
  beforeAll(async () => {
    const metadata = { namespace, name: 'held', finalizers: ['example.io/hold'] };
    await api.create(resources.machines, { apiVersion, kind: 'Machine', metadata, spec } as Machine);
    expect(await kubectl('alice', ['create', '-f', '-'], deployment('left'))).toMatchObject({ code: 0 });
    await webhook.kill();
  });

  test('nothing is made', async () => {
    const { code, stderr } = await kubectl('alice', ['create', '-f', '-'], deployment('never'));
    expect(code).toBe(1);
    expect(stderr).toContain('failed calling webhook "mutate.drover.dev"');
  });

  test('status, scale, finalizers and deletions go on', async () => {
    const ref = { namespace, name: 'held' };
    const pass = (patch: object, options = {}) =>
      api.patch(resources.machines, ref, { type: 'merge', body: patch }, options);
    await pass({ status: { currentStatus: { phase: 'Running' } } }, { subresource: 'status' });
    await pass({ metadata: { finalizers: ['example.io/hold', 'example.io/hold-too'] } });
    expect(await kubectl('alice', ['scale', 'mcd/left', '--replicas=2'])).toMatchObject({ code: 0 });
    expect(await kubectl('alice', ['delete', 'mcd', 'left'])).toMatchObject({ code: 0 });
    await api.delete(resources.machines, ref);
    await pass({ metadata: { finalizers: ['example.io/hold'] } });
    // hack/decisions/0028 W2
    const refused = await kubectl('alice', ['annotate', 'mc', 'held', `${OVERRIDE}=50`]);
    expect(refused.stderr).toContain('failed calling webhook "guard.drover.dev"');
    expect(await kubectl('alice', ['annotate', 'mc', 'held', 'example.io/note=mine'])).toMatchObject({ code: 0 });
    await pass({ metadata: { finalizers: null, annotations: { 'example.io/bye': 'now' } } });
    expect(await kubectl('alice', ['get', 'mc', 'held'])).toMatchObject({ code: 1 });
  });

  test('it is back with the same certificate as soon as it runs again', async () => {
    const trusted = await bundles(cluster);
    webhook = await startWebhook(cluster, webhook.port);
    await until(
      'a creation',
      async () => (await kubectl('alice', ['create', '-f', '-'], deployment('again'))).code === 0,
      {
        timeoutMs: 5_000,
      },
    );
    expect(await bundles(cluster)).toEqual(trusted);
  });
});
