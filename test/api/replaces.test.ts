import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { type ControllerProcess, startWorking } from './support/controllerprocess.ts';
import { type OwnCluster, ownControlPlane } from './support/controlplane.ts';
import { Herd } from './support/herd.ts';
import { startRegistered, type WebhookProcess } from './support/webhookprocess.ts';

/** What who changes a template is told of the machines, and what comes of them (hack/decisions/0051 U10). The tests build on each other. */

setDefaultTimeout(180_000);

const herd = new Herd();
let cluster: OwnCluster;
let webhook: WebhookProcess;
let controller: ControllerProcess;

beforeAll(async () => {
  cluster = await ownControlPlane();
  herd.settle(cluster, await cluster.namespace('herd'));
  webhook = await startRegistered(cluster);
  controller = await startWorking({ cluster, namespace: herd.namespace });
  for (const name of ['small', 'large']) await herd.makeClass(name);
  await told(pool('small'));
  await herd.whenRunning(3);
});

afterAll(async () => {
  await controller?.stop();
  await webhook?.stop();
  await cluster?.end();
});

const pool = (className: string, spec: object = {}, annotations: object = {}) => ({
  apiVersion: 'machine.sapcloud.io/v1alpha1',
  kind: 'MachineDeployment',
  metadata: { name: 'pool' },
  spec: {
    replicas: 3,
    selector: { matchLabels: { pool: 'pool' } },
    template: {
      metadata: { labels: { pool: 'pool' }, annotations },
      spec: { class: { kind: 'MachineClass', name: className }, ...spec },
    },
  },
});

/** What the API server warns of when this is applied. */
async function told(manifest: object, ...flags: string[]): Promise<string> {
  const stdin = JSON.stringify(manifest);
  const { code, stderr } = await cluster.kubectl(['-n', herd.namespace, 'apply', ...flags, '-f', '-'], { stdin });
  expect([code, stderr]).toEqual([0, expect.any(String)]);
  return stderr.trim();
}

const uids = async () => (await herd.whenRunning(3)).map(({ metadata }) => metadata.uid).sort();

/** The webhook sees sets through a watch: what it tells may be of a moment ago. */
const eventuallyTold = (manifest: object, sentence: string) =>
  herd.eventually(sentence, async () => (await told(manifest, '--dry-run=server')) === sentence);

test('a dry run tells how many machines a change would replace, and replaces none', async () => {
  const before = await uids();
  await eventuallyTold(pool('large'), 'Warning: spec.template: will replace 3 machines');
  expect(await uids()).toEqual(before);
});

test('a change of settings replaces none, as it tells', async () => {
  const before = await uids();
  const sentence = 'Warning: spec.template: replaces no machine: the change reaches the 3 that there are';
  expect(await told(pool('small', { drainTimeout: '1h', deletionPolicy: 'Delete' }))).toBe(sentence);
  await herd.eventually('the time-out on all', async () =>
    (await herd.machines()).every(({ spec }) => spec?.drainTimeout === '1h'),
  );
  expect(await uids()).toEqual(before);
});

test('another size tells nothing', async () => {
  const manifest = pool('small', { drainTimeout: '1h' });
  expect(await told({ ...manifest, spec: { ...manifest.spec, replicas: 4 } }, '--dry-run=server')).toBe('');
});

test('an annotation of the template replaces all, as it tells', async () => {
  const before = await uids();
  const again = pool('small', { drainTimeout: '1h' }, { 'kubectl.kubernetes.io/restartedAt': '2030-01-01T00:00:00Z' });
  expect(await told(again)).toBe('Warning: spec.template: will replace 3 machines');
  await herd.eventually('the rollout', async () => (await uids()).every((uid) => !before.includes(uid)));
});

test('a rollback replaces those of the present template, as it tells', async () => {
  const before = await uids();
  const patch = ['patch', 'mcd/pool', '--type=merge', '-p', '{"spec":{"rollbackTo":{}}}'];
  const { stderr } = await cluster.kubectl(['-n', herd.namespace, ...patch]);
  expect(stderr.trim()).toBe('Warning: spec.rollbackTo: will replace 3 machines');
  await herd.eventually('the rollout', async () => (await uids()).every((uid) => !before.includes(uid)));
});

test('a set tells that it replaces none', async () => {
  const [set] = (await herd.sets()).filter(({ spec }) => spec?.replicas === 3);
  const template = JSON.stringify({ spec: { template: { spec: { class: { name: 'large' } } } } });
  const patch = ['patch', `mcs/${set?.metadata.name}`, '--type=merge', '-p', template, '--dry-run=server'];
  const { stderr } = await cluster.kubectl(['-n', herd.namespace, ...patch]);
  expect(stderr.trim()).toBe(
    'Warning: spec.template: is no longer that of MachineDeployment pool, which will replace 3 machines of the set for it; change the template of the deployment instead',
  );
});
