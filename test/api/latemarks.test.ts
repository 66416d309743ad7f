import { afterAll, afterEach, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { resources } from '../../schemas/kinds.ts';
import type { Machine } from '../../schemas/machine.ts';
import { Herd } from './support/herd.ts';
import { startBehindWay } from './support/proxiedcontroller.ts';
import type { Way } from './support/proxy.ts';
import { sound, unheard } from './support/proxyfaults.ts';

/**
 * hack/decisions/0051 U27: watches of two kinds have no order between them. What an autoscaler writes on Machines before it lowers the size
 * reaches the controller after that here; a machine in use went then, and the idle one stayed.
 */

setDefaultTimeout(180_000);

const PATIENCE = { timeoutMs: 45_000, everyMs: 50 };

const herd = new Herd();
let way: Way;
let end: () => void = () => {};

beforeAll(async () => {
  ({ way, end } = await startBehindWay(herd, 'latemarks'));
});

beforeEach(() => herd.makeDeployment({ replicas: 4 }));

afterEach(async () => {
  way.set(sound);
  await herd.kubectl('delete', 'mcd,mcs,mc', '--all', '--timeout=45s');
});

afterAll(() => {
  end();
});

const MARKS = [
  ['Cluster API’s', 'machine.sapcloud.io/delete-machine', 'now'],
  ['Gardener’s', 'machinepriority.machine.sapcloud.io', '1'],
] as const;

/** Machines that an autoscaler marked, and those that would go first without marks. */
interface Choice {
  marked: string[];
  used: string[];
}

/** Marks the two that would go last, then lowers the size, while such a fault is on. */
async function scaleDown(annotations: Record<string, string>, fault = unheard('machines')): Promise<Choice> {
  const names = (await whenRunning(4)).sort(olderFirst).map(nameOf);
  const choice = { used: names.slice(0, 2), marked: names.slice(2) };
  way.set(fault);
  for (const name of choice.marked) await mark(name, annotations);
  await herd.kubectl('scale', 'mcd/pool', '--replicas=2');
  return choice;
}

async function whenRunning(count: number): Promise<Machine[]> {
  const isThere = async () => Bun.deepEquals(await herd.phases(), { Running: count });
  await herd.eventually(`${count} Running machines`, isThere, PATIENCE);
  return herd.machines();
}

const nameOf = ({ metadata }: Machine): string => metadata.name;
const orderOf = ({ metadata }: Machine): string => `${metadata.creationTimestamp} ${metadata.name}`;
const olderFirst = (a: Machine, b: Machine): number => (orderOf(a) < orderOf(b) ? -1 : 1);

const mark = (name: string, annotations: Record<string, string>) =>
  herd.api.patch(
    resources.machines,
    { namespace: herd.namespace, name },
    { type: 'merge', body: { metadata: { annotations } } },
  );

const leaving = async () => (await herd.machines()).filter(({ metadata }) => metadata.deletionTimestamp).map(nameOf);

/** These leave while their marks are still to be heard of, and these stay when all is heard. */
async function expectChoice({ marked, used }: Choice): Promise<void> {
  await herd.eventually('two to leave', async () => (await leaving()).length >= 2, PATIENCE);
  expect((await leaving()).sort()).toEqual(marked.sort());
  way.set(sound);
  const left = await whenRunning(2);
  expect(left.map(nameOf).sort()).toEqual(used.sort());
}

const toldOf = async () =>
  (await herd.sets()).some(({ status }) =>
    status?.machineSetCondition?.some(({ type, reason }) => type === 'ReplicaFailure' && reason === 'FailedDelete'),
  );

test.each(MARKS)('%s marks that come late choose who goes, and no other machine does', async (_whose, key, value) => {
  await expectChoice(await scaleDown({ [key]: value }));
});

test('where marks cannot be read none goes, the set tells it, and it goes on when they can', async () => {
  const isLook = (request: string) => request.includes('/machines?labelSelector=');
  const silent = unheard('machines');
  const choice = await scaleDown(
    { [MARKS[0][1]]: 'now' },
    { ...silent, treat: (request) => (isLook(request) ? 'fail' : 'pass') },
  );
  await herd.eventually('the set to tell it', toldOf, PATIENCE);
  expect(await leaving()).toEqual([]);
  way.set(silent);
  await expectChoice(choice);
});
