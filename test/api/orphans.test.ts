import { afterAll, afterEach, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { configMaps, nodes } from '../../controller/runtime/k8s/core.ts';
import { type ControllerProcess, startController } from './support/controllerprocess.ts';
import { controlPlane } from './support/controlplane.ts';
import { Herd } from './support/herd.ts';
import { makeStrange, type Strange, strangeLeft } from './support/strangevms.ts';

setDefaultTimeout(180_000);

const herd = new Herd();
const PATIENCE = { timeoutMs: 60_000, everyMs: 100 };
const PERIOD = '--machine-safety-orphan-vms-period=1s';
let controller: ControllerProcess;

const start = async (...flags: string[]) => {
  controller = await startController({
    cluster: herd.cluster,
    namespace: herd.namespace,
    flags: ['--leader-elect=false', ...flags],
  });
  await controller.working();
};

/** The value of a series; 0 when there is none. */
async function measured(series: string): Promise<number> {
  const text = await (await fetch(`${controller.url}/metrics`)).text();
  const line = text.split('\n').find((one) => one.startsWith(`${series} `));
  return Number(line?.split(' ').at(-1) ?? 0);
}

const of = (name: string, labels: string, className = 'small') =>
  `${name}{class="${herd.namespace}/${className}",${labels}}`;
const sweeps = () => measured(of('drover_orphan_sweeps_total', 'outcome="SweepSucceeded"'));
const deletions = () => measured(of('drover_orphaned_vm_deletions_total', 'outcome="deleted"'));
const inState = (state: string) => measured(of('drover_orphaned_vms', `state="${state}"`));

const many = (count: number, kind: string, changes: Partial<Strange> = {}): Strange[] =>
  Array.from({ length: count }, (_, index) => ({ id: `${kind}${index}`, ...changes }));

beforeAll(async () => {
  const cluster = await controlPlane();
  herd.settle(cluster, await cluster.namespace('orphans'));
});

beforeEach(() => herd.makeClass('small'));

afterEach(async () => {
  await herd.kubectl('annotate', 'mcd', '--all', 'cluster.x-k8s.io/paused-');
  await herd.kubectl('delete', 'mcd,mcs,mc,mcc', '--all', '--timeout=30s');
  expect(await controller.stop()).toBe(0);
  await herd.leave();
});

afterAll(() => herd.leave());

const storm = () => [
  ...many(100, 'old'),
  ...many(50, 'foreign', { incarnation: 'elsewhere' }),
  ...many(50, 'young', { ageMs: 0 }),
];
const spared = storm()
  .map(({ id }) => id)
  .filter((id) => !id.startsWith('old'))
  .sort();

test('of 200 strange VMs the 100 that are old and ours go, at most 30 a sweep (hack/spec/mcm.md 13.2)', async () => {
  await makeStrange(herd, storm());
  await start(PERIOD, '--orphan-deletions-per-sweep=30');
  await herd.eventually(
    'the orphans to go',
    async () => {
      const gone = await deletions();
      expect(gone).toBeLessThanOrEqual(30 * Math.max(0, (await sweeps()) - 1));
      return gone >= 100;
    },
    PATIENCE,
  );
  expect(await strangeLeft(herd)).toEqual(spared);
  await herd.eventually('a sweep that finds the rest', async () => (await inState('young')) === 50, PATIENCE);
  expect([await inState('foreign'), await inState('waiting'), await inState('queued')]).toEqual([50, 0, 0]);
  expect(await sweeps()).toBeGreaterThanOrEqual(5);
});

test('in report mode none goes, and each is told of once', async () => {
  await makeStrange(herd, storm());
  await start(PERIOD, '--orphan-policy=report');
  await herd.eventually('a report', async () => (await inState('reported')) === 100, PATIENCE);
  const before = await sweeps();
  await herd.eventually('more sweeps', async () => (await sweeps()) > before + 2, PATIENCE);
  expect((await strangeLeft(herd)).length).toBe(200);
  const told = (await controller.lines()).filter((line) => line.includes('an orphan stays that would be deleted'));
  expect(told.length).toBe(100);
  const seen = async () => (await herd.events()).includes('OrphanedVMFound');
  await herd.eventually('events', seen, PATIENCE);
});

test('a second VM of a Machine goes with its Node, the Machine and its own VM stay', async () => {
  await start(PERIOD);
  await herd.apply(herd.alone('m', 'small'));
  const [machine] = await herd.whenRunning(1);
  await makeStrange(herd, [{ id: 'second', machine: 'm', joins: true }]);
  const name = `${herd.namespace}-second`;
  await herd.eventually('the second VM to go', async () => (await strangeLeft(herd)).length === 0, PATIENCE);
  const isLeft = async () => (await herd.api.list(nodes)).items.some(({ metadata }) => metadata.name === name);
  await herd.eventually('its Node to go', async () => !(await isLeft()), PATIENCE);
  const [still] = await herd.whenRunning(1);
  expect(still?.metadata.uid).toBe(machine?.metadata.uid as string);
  expect((await herd.vms()).length).toBe(1);
});

test('a new process has seen no VM before', async () => {
  await makeStrange(herd, many(1, 'old'));
  await start('--machine-safety-orphan-vms-period=4s');
  await herd.eventually('a first sighting', async () => (await inState('waiting')) === 1, PATIENCE);
  await controller.kill();
  await start('--machine-safety-orphan-vms-period=4s');
  await herd.eventually('a sweep of the new process', async () => (await sweeps()) > 0, PATIENCE);
  expect(await strangeLeft(herd)).toEqual(['old0']);
  await herd.eventually('the orphan to go', async () => (await deletions()) === 1, PATIENCE);
  expect(await sweeps()).toBeGreaterThanOrEqual(2);
});

test('a VM that its Machine leaves on purpose stays with its Node, and no sweep takes it', async () => {
  await start(PERIOD, '--orphan-grace-period=0s');
  const { spec, ...rest } = herd.alone('kept', 'small');
  await herd.apply({ ...rest, spec: { ...(spec as object), deletionPolicy: 'Retain' } });
  const [machine] = await herd.whenRunning(1);
  await herd.kubectl('delete', 'mc/kept', '--timeout=45s');
  await herd.eventually('a sweep that sees it', async () => (await inState('retained')) === 1, PATIENCE);
  const before = await sweeps();
  await herd.eventually('more sweeps', async () => (await sweeps()) > before + 2, PATIENCE);
  const [vm] = await herd.vms();
  expect(vm?.data).toMatchObject({ providerID: machine?.spec?.providerID, state: 'Running' });
  const node = await herd.api.get(nodes, { name: 'kept' });
  expect(node.spec?.unschedulable).toBeUndefined();
  expect(node.metadata.deletionTimestamp).toBeUndefined();
});

test('a list that fails holds up its own class alone', async () => {
  const calls = [{ method: 'listMachines', rate: 1, answer: 'Unavailable' }];
  await herd.makeClass('dark', { faults: { calls } });
  await makeStrange(herd, [{ id: 'seen' }, { id: 'unseen', class: 'dark' }]);
  await start(PERIOD);
  await herd.eventually('one to go', async () => Bun.deepEquals(await strangeLeft(herd), ['unseen']), PATIENCE);
  expect(await measured(of('drover_orphan_sweeps_total', 'outcome="ListFailed"', 'dark'))).toBeGreaterThan(0);
});

test('what nobody stamped is told of and stays; a frozen set holds deletions up', async () => {
  await makeStrange(herd, [{ id: 'stamped' }, { id: 'bare' }]);
  const bare = { namespace: 'drover-virtual-cloud', name: `${herd.namespace}-bare` };
  await herd.api.patch(configMaps, bare, { type: 'merge', body: { data: { incarnation: null } } });
  await herd.makeDeployment({ replicas: 0, name: 'still' });
  // Paused, so that nobody else takes the label off.
  await herd.kubectl('annotate', 'mcd/still', 'cluster.x-k8s.io/paused=');
  await herd.kubectl('label', 'mcd/still', 'freeze=True');
  await start(PERIOD);
  await herd.eventually(
    'both to be found',
    async () => (await inState('held')) + (await inState('unknown')) === 2,
    PATIENCE,
  );
  const before = await sweeps();
  await herd.eventually('more sweeps', async () => (await sweeps()) > before + 2, PATIENCE);
  expect(await strangeLeft(herd)).toEqual(['bare', 'stamped']);
  await herd.kubectl('label', 'mcd/still', 'freeze-');
  await herd.eventually('one to go', async () => Bun.deepEquals(await strangeLeft(herd), ['bare']), PATIENCE);
});
