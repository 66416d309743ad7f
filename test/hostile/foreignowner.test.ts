import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { applyManifests } from '../../hack/controlplane/manifests.ts';
import { until } from '../../hack/lib/until.ts';
import { Herd } from '../api/support/herd.ts';
import { type Hostile, startHostile, TENANTS } from './scene.ts';

// hack/decisions/0028 T45: a tenant against a set of another namespace, by what is written into owner references.

setDefaultTimeout(180_000);

const PATIENCE = { timeoutMs: 60_000, everyMs: 250 };
const apiVersion = 'machine.sapcloud.io/v1alpha1';
const labels = { pool: 'db' };
/** The garbage collector looks after nothing that names an owner of a kind that it does not know. */
const NOBODY = { apiVersion: 'no.such/v1', kind: 'Nothing', name: 'x' };
const victim = new Herd();
let hostile: Hostile;

/** What kubectl says to the tenant; throws what it refuses. */
async function mallory(words: readonly string[], stdin = ''): Promise<string> {
  const { words: as, ...who } = hostile.as('mallory');
  const said = await hostile.cluster.kubectl([...as, '-n', TENANTS.guarded, ...words], { ...who, stdin });
  if (said.code !== 0) throw new Error(said.stderr);
  return said.stdout;
}

/** Makes a Machine of the tenant's, with the labels that the set selects; as who is controlled already it can be adopted by nobody. */
const plant = (name: string, owner: object) => {
  const ownerReferences = [
    { ...NOBODY, controller: true, ...owner },
    { ...NOBODY, uid: 'x' },
  ];
  const metadata = { name, labels, finalizers: ['mallory.io/stay'], ownerReferences };
  const spec = { class: { kind: 'MachineClass', name: 'none' } };
  return mallory(['create', '-f', '-'], JSON.stringify({ apiVersion, kind: 'Machine', metadata, spec }));
};

const living = async () => {
  const all = (await victim.machines()).filter(({ metadata }) => metadata.labels?.['pool'] === 'db');
  return all.filter(({ metadata }) => !metadata.deletionTimestamp).map(({ metadata }) => metadata.name);
};

const scaled = async (replicas: number) => {
  await victim.kubectl('scale', 'mcs/db', `--replicas=${replicas}`);
  await until('the victim to have its machines', async () => (await living()).length === replicas, PATIENCE);
};

beforeAll(async () => {
  hostile = await startHostile();
  victim.settle(hostile.cluster, 'victim');
  await victim.makeClass('small');
  const template = { metadata: { labels }, spec: { class: { kind: 'MachineClass', name: 'small' } } };
  const spec = { replicas: 0, selector: { matchLabels: labels }, template };
  const set = { apiVersion, kind: 'MachineSet', metadata: { name: 'db', namespace: 'victim' }, spec };
  await applyManifests(hostile.cluster.admin, [set]);
}, 180_000);

afterAll(() => hostile?.end());

test('an owner of UID "none/victim" keeps no set of the victim from making machines, and is told nothing', async () => {
  for (const at of [0, 1, 2]) await plant(`hold-${at}`, { uid: 'none/victim' });
  await plant('spy', { apiVersion, kind: 'MachineSet', name: 'db', uid: 'none/victim' });
  await scaled(2);
  const uid = await victim.kubectl('get', 'mcs/db', '-o', 'jsonpath={.metadata.uid}');
  expect(await mallory(['get', 'mc', '-o', 'json'])).not.toContain(uid);
});

test('who knows the UID of a set has none of its machines deleted, and takes the place of none', async () => {
  const before = await living();
  const uid = await victim.kubectl('get', 'mcs/db', '-o', 'jsonpath={.metadata.uid}');
  for (const at of [0, 1, 2, 3]) await plant(`kill-${at}`, { uid });
  await scaled(3);
  expect(await living()).toEqual(expect.arrayContaining(before));
});
