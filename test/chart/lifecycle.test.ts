import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import { until } from '../../hack/lib/until.ts';
import { type OwnCluster, ownControlPlane } from '../api/support/controlplane.ts';
import { bundleIn, established } from './cluster.ts';
import { Release } from './release.ts';
import { type Started, startFrom } from './started.ts';

/** A life of one release, told in order: each test goes on where the one before has ended. */

/** How many kinds the chart brings. */
const KINDS = readdirSync('charts/drover/files/crds').length;
const VIRTUAL = { 'driver.virtual.enabled': true };

let cluster: OwnCluster;
let release: Release;
let webhook: Started;

beforeAll(async () => {
  cluster = await ownControlPlane({ bare: true });
  release = new Release(cluster, 'farm', 'farm');
}, 180_000);

afterAll(async () => {
  await webhook?.stop();
  await cluster?.end();
});

test('an installation tells what there is and what to do next', async () => {
  const notes = await release.install({ set: VIRTUAL });
  expect(notes).toContain('2 webhook(s), which check and complete what is applied');
  expect(notes).toContain('kubectl rollout status -n farm deployment/farm-drover-controller');
  expect(notes).not.toContain('WARNING');
});

test('the webhook tells the API server of its authority, under the account and the names of the release', async () => {
  await established(cluster);
  const flags = (kubeconfig: string) => [`--kubeconfig=${kubeconfig}`];
  webhook = await startFrom(release, { deployment: 'farm-drover-webhook', flags });
  await until('the caBundle of all registrations', async () => (await bundleIn(cluster)).every(Boolean), {
    timeoutMs: 20_000,
  });
  expect((await webhook.metrics()).split('\n').filter((line) => line.includes('code="403"'))).toEqual([]);
  const { stdout } = await cluster.kubectl(['get', 'secrets', '-n', 'farm', '-o', 'name']);
  expect(stdout).toContain('secret/farm-drover-webhook-tls\n');
});

test('an upgrade to the same values changes nothing', async () => {
  const before = await release.standing();
  await release.upgrade({ set: VIRTUAL });
  expect(changedSince(before, await release.standing())).toEqual([]);
});

test('an upgrade with another setting of the controller touches its Deployment alone, and no caBundle', async () => {
  const [before, known] = [await release.standing(), await bundleIn(cluster)];
  await release.upgrade({ set: { ...VIRTUAL, 'controller.settings.logLevel': 'debug' } });
  expect(changedSince(before, await release.standing())).toEqual(['Deployment farm/farm-drover-controller']);
  expect(await bundleIn(cluster)).toEqual(known);
});

test('an upgrade that writes the registrations anew leaves their caBundle', async () => {
  const [before, known] = [await release.standing(), await bundleIn(cluster)];
  await release.upgrade({ set: { ...VIRTUAL, 'webhook.failurePolicy': 'Ignore', 'webhook.timeoutSeconds': 7 } });
  expect(changedSince(before, await release.standing())).toEqual([
    'Deployment farm/farm-drover-controller',
    'MutatingWebhookConfiguration /farm-drover',
    'ValidatingWebhookConfiguration /farm-drover',
  ]);
  expect(await bundleIn(cluster)).toEqual(known);
});

test('an upgrade of many values finds the same pods', async () => {
  const set = {
    ...VIRTUAL,
    'controller.replicas': 3,
    'commonLabels.team': 'herders',
    'image.tag': 'other',
    'webhook.podTemplate': { metadata: { labels: { extra: 'label' } } },
    'flowControl.enabled': true,
    'networkPolicy.enabled': true,
    'driver.sidecars': [{ name: 'cloud', image: 'cloud' }],
  };
  await release.upgrade({ set });
  const standing = await release.standing();
  const selectorOf = (name: string) => (standing.get(`Deployment farm/farm-drover-${name}`) as Selecting).spec.selector;
  for (const component of ['controller', 'webhook']) {
    expect(selectorOf(component).matchLabels).toEqual({
      'app.kubernetes.io/name': 'drover',
      'app.kubernetes.io/instance': 'farm',
      'app.kubernetes.io/component': component,
    });
  }
});

test('an uninstallation takes all but the kinds and the virtual VMs, and a new installation takes these up again', async () => {
  const before = await release.standing();
  await release.uninstall();
  const { stdout } = await cluster.kubectl([
    'get',
    'crd,deploy,sa,clusterroles,validatingwebhookconfigurations',
    '-A',
    '-l',
    'app.kubernetes.io/instance=farm',
    '-o',
    'name',
  ]);
  expect(
    stdout
      .split('\n')
      .filter(Boolean)
      .map((name) => name.split('/')[0]),
  ).toEqual(Array(KINDS).fill('customresourcedefinition.apiextensions.k8s.io'));
  await release.install({ set: VIRTUAL });
  const kept = [...(await release.standing())].filter(
    ([name, { metadata }]) => before.get(name)?.metadata.uid === metadata.uid,
  );
  expect(kept.map(([name]) => name.split(' ')[0]).sort()).toEqual([
    ...Array(KINDS).fill('CustomResourceDefinition'),
    'Namespace',
  ]);
});

interface Selecting extends KubeObject {
  spec: { selector: { matchLabels: Record<string, string> } };
}

/** Objects that are new, or were written since, by what the API server counts. */
function changedSince(before: ReadonlyMap<string, KubeObject>, after: ReadonlyMap<string, KubeObject>): string[] {
  const versionOf = (one: KubeObject | undefined) => one?.metadata.resourceVersion;
  return [...after]
    .filter(([name, one]) => versionOf(one) !== versionOf(before.get(name)))
    .map(([name]) => name)
    .sort();
}
