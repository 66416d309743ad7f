import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { until } from '../../hack/lib/until.ts';
import { type OwnCluster, ownControlPlane } from '../api/support/controlplane.ts';
import { established, sharedPlane } from './cluster.ts';
import type { Values } from './helm.ts';
import { Release } from './release.ts';
import { type Started, startFrom } from './started.ts';

const HERD = join(import.meta.dir, '../../schemas/examples/herd.yaml');
const WAIT = '--timeout=40s';

let cluster: OwnCluster;
let target: OwnCluster;

beforeAll(async () => {
  [cluster, target] = await Promise.all([sharedPlane(), ownControlPlane({ bare: true })]);
}, 180_000);

afterAll(() => target?.end());

/** A release without a webhook: no pod runs here, and a registration that nobody answers would refuse every write. */
async function installed(set: Values): Promise<Release> {
  const release = new Release(cluster);
  await release.install({ set: { 'webhook.enabled': false, 'driver.virtual.enabled': true, ...set } });
  await established(cluster);
  return release;
}

/** Makes a herd of three, waits for it, scales it down and lets it go. */
async function liveAndDie(namespace: string): Promise<void> {
  const at = (...words: string[]) => say('-n', namespace, ...words);
  await at('apply', '-f', HERD);
  await at('wait', 'mcd/herd', '--for=jsonpath={.status.readyReplicas}=3', WAIT);
  await at('scale', 'mcd', 'herd', '--replicas=1');
  await at('wait', 'mcd/herd', '--for=jsonpath={.status.replicas}=1', WAIT);
  await at('delete', 'mcd/herd', 'mcc/herd', WAIT);
}

async function say(...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await cluster.kubectl(words);
  if (code !== 0) throw new Error(`kubectl ${words.join(' ')}: ${stderr}`);
  return stdout;
}

/** What API servers have refused to a program for want of a right. */
const refused = async ({ metrics }: Started): Promise<string[]> =>
  (await metrics()).split('\n').filter((line) => line.startsWith('rest_client_requests_total{code="403"'));

/** Runs the controller of a release while the work is done, and tells what was refused to it. The release goes with it. */
async function whileRunning(set: Values, work: () => Promise<void>, targetKubeconfig?: string): Promise<string[]> {
  const release = await installed(set);
  const flags = (kubeconfig: string) => [
    `--control-kubeconfig=${kubeconfig}`,
    ...(targetKubeconfig ? [`--target-kubeconfig=${targetKubeconfig}`] : []),
  ];
  try {
    const controller = await startFrom(release, { deployment: 'drover-controller', flags });
    await controller
      .said('started')
      .then(work)
      .catch((error) => controller.stop().then(() => Promise.reject(error)));
    const lines = await refused(controller);
    expect(await controller.stop()).toBe(0);
    return lines;
  } finally {
    await release.uninstall();
  }
}

describe('under the account of the chart', () => {
  test.each<[string, string, Values]>([
    ['all namespaces', 'anywhere', {}],
    ['one namespace', 'herds', { 'controller.namespace': 'herds' }],
  ])('a controller of %s brings a herd to life and lets it go, and is refused nothing', async (_, namespace, set) => {
    await say('create', 'namespace', namespace);
    expect(await whileRunning(set, () => liveAndDie(namespace))).toEqual([]);
  });

  test('a controller without the virtual driver leaves its machines alone, and asks for no right of it', async () => {
    await say('create', 'namespace', 'plain');
    const at = (...words: string[]) => say('-n', 'plain', ...words);
    const left = async () => {
      await at('apply', '-f', HERD);
      await at('wait', 'mcd/herd', '--for=jsonpath={.status.replicas}=3', WAIT);
      expect(await at('get', 'mc', '-o', 'jsonpath={.items[*].status}{.items[*].metadata.finalizers}')).toBe('');
    };
    expect(await whileRunning({ 'driver.virtual.enabled': false }, left)).toEqual([]);
  });

  test('a controller of two clusters has in each what it needs there', async () => {
    await say('create', 'namespace', 'far');
    const there = new Release(target);
    await there.install({ set: { 'rbac.targetOnly': true, 'driver.virtual.enabled': true } });
    const { kubeconfig } = await target.serviceAccount('drover-system', 'drover-controller');
    const set = { 'controller.kubeconfig.target': 'target' };
    expect(await whileRunning(set, () => liveAndDie('far'), kubeconfig)).toEqual([]);
    await there.uninstall();
  });

  test('two releases look after a namespace each, side by side', async () => {
    for (const name of ['west', 'east']) await say('create', 'namespace', name);
    const second = new Release(cluster, 'flocks', 'flocks');
    const virtual = { 'driver.virtual.enabled': true, 'driver.virtual.createNamespace': false };
    const set = { 'webhook.enabled': false, 'crds.enabled': false, ...virtual };
    await whileRunning({ 'controller.namespace': 'west' }, async () => {
      await second.install({ set: { ...set, 'controller.namespace': 'east' } });
      const flags = (kubeconfig: string) => [`--control-kubeconfig=${kubeconfig}`];
      const controller = await startFrom(second, { deployment: 'flocks-drover-controller', flags });
      await Promise.all(['west', 'east'].map(liveAndDie));
      expect(await refused(controller)).toEqual([]);
      expect(await controller.stop()).toBe(0);
      await second.uninstall();
    });
  });

  test('what is not given is refused, and seen here', async () => {
    const release = await installed({ 'driver.virtual.enabled': false });
    const flags = (kubeconfig: string) => [`--control-kubeconfig=${kubeconfig}`, '--drivers=virtual'];
    const controller = await startFrom(release, { deployment: 'drover-controller', flags });
    const some = async () => (await refused(controller)).length > 0;
    await until('a refusal', some, { timeoutMs: 20_000 });
    await controller.stop();
    await release.uninstall();
  });
});
