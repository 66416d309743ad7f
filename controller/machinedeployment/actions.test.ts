import { expect, test } from 'bun:test';
import type { MachineDeployment } from '../../schemas/machinedeployment.ts';
import type { MachineSet } from '../../schemas/machineset.ts';
import { machine, machineDeployment, machineSet, node } from '../../test/fixtures/objects.ts';
import { oneTarget } from '../model/target.fixture.ts';
import { ApiError } from '../runtime/client/errors.ts';
import { FakeClock } from '../runtime/clock.fake.ts';
import type { Node } from '../runtime/k8s/core.ts';
import { Cache } from '../runtime/watch/cache.ts';
import { apply, type MachineDeploymentEffects } from './actions.ts';
import { newSet } from './flow/revision.ts';
import { RefusedNodes } from './flow/rolloutnodes.ts';
import { view } from './flow/view.fixture.ts';
import { numbersOf } from './flow/view.ts';

const TAKEN_BACK = 'taken back';

/** Marks the Nodes `a` and `b`, of which the API server answers for `a` what is said here. */
async function marked(reason: string, mayFail: { mayFail?: true } = { mayFail: true }) {
  const patched: string[] = [];
  const events: string[] = [];
  const patch = async (_resource: unknown, { name }: { name: string }) => {
    if (name === 'a' && reason !== TAKEN_BACK) throw new ApiError('patch nodes a', { status: 400, reason });
    patched.push(name);
    const annotations = reason === TAKEN_BACK && name === 'a' ? {} : { x: 'y' };
    return node({ metadata: { name, annotations } });
  };
  const refusedNodes = new RefusedNodes();
  const nodes = new Cache<Node>();
  nodes.put(node({ metadata: { name: 'b' } }));
  const effects = {
    targets: oneTarget({ api: { patch, get: async () => node() }, nodes } as never),
    refusedNodes,
    clock: new FakeClock(0),
    events: { record: (_object: unknown, told: { reason: string }) => events.push(told.reason) },
  } as unknown as MachineDeploymentEffects;
  const marks = ['a', 'b'].map((name) => ({
    machine: machine({ metadata: { name } }),
    node: node({ metadata: { name, uid: `uid-${name}` } }),
    change: { annotations: { x: 'y' } },
  }));
  const done = apply(effects, view(machineDeployment(), []), { do: 'markNodes', marks, ...mayFail });
  const outcome = await done.then(
    () => 'done',
    (error: ApiError) => error.reason,
  );
  return { outcome, patched, events, refused: refusedNodes.has('uid-a', 0) };
}

// hack/decisions/0028 T28
test('a Node that does not keep its mark is told, let alone, and holds up nothing', async () => {
  const expected = { outcome: 'done', patched: ['a', 'b'], events: ['NodeUpdateFailed'], refused: true };
  expect(await marked(TAKEN_BACK)).toEqual(expected);
});

const others = { patched: ['b'] };
test.each([
  [
    'changed by somebody else keeps none of the others waiting',
    'Conflict',
    { outcome: 'done', events: [], refused: false },
  ],
  [
    'refused: it is told, let alone, and holds up nothing',
    'Forbidden',
    { outcome: 'done', events: ['NodeUpdateFailed'], refused: true },
  ],
])('a Node that is %s', async (_what, reason, outcome) => {
  expect(await marked(reason)).toEqual({ ...others, ...outcome });
});

test('a set whose size may not be changed keeps no other from being scaled (hack/decisions/0051 S6)', async () => {
  const scaled: string[] = [];
  const patch = async (_resource: unknown, { name }: { name: string }) => {
    if (name === 'a') throw new ApiError('patch machinesets a', { status: 403, reason: 'Forbidden' });
    scaled.push(name);
    return machineSet({ metadata: { name } });
  };
  const effects = { setWrites: { api: { patch }, cache: new Cache() }, events: { record: () => {} } };
  const scalings = ['a', 'b', 'c'].map((name) => ({ set: machineSet({ metadata: { name } }), replicas: 1 }));
  const done = apply(effects as never, view(machineDeployment(), []), { do: 'scale', scalings });
  await expect(done).rejects.toThrow('patch machinesets a');
  expect(scaled).toEqual(['b', 'c']);
});

test('a mark that must not fail is an error when it is refused', async () => {
  expect((await marked('Invalid', {})).outcome).toBe('Invalid');
});

/** Makes a set whose name is taken by one of the deployment's sets, as that is changed here; answers what became of it. */
async function madeBeside(change: (set: MachineSet) => MachineSet) {
  const deployment = machineDeployment();
  const set = newSet(deployment, [], { ...numbersOf(deployment), initial: 3 });
  const found = change({
    ...set,
    metadata: { ...set.metadata, uid: 'uid-found', resourceVersion: '1', generation: 1 },
  });
  const told: string[] = [];
  const patches: unknown[] = [];
  const api = {
    create: async () => {
      throw new ApiError('make it', { status: 409, reason: 'AlreadyExists' });
    },
    get: async () => found,
    patch: async (_resource: unknown, _ref: unknown, patch: { body: unknown }) => {
      patches.push(patch.body);
      return deployment;
    },
  };
  const effects = {
    setWrites: { api, resource: {}, cache: new Cache<MachineSet>() },
    deploymentWrites: { api, resource: {}, cache: new Cache<MachineDeployment>() },
    events: { record: (_object: unknown, { reason }: { reason: string }) => told.push(reason) },
  } as unknown as MachineDeploymentEffects;
  const done = apply(effects, view(deployment, []), { do: 'createSet', set });
  const outcome = await done.then(
    () => (patches.length > 0 ? JSON.stringify(patches) : 'found'),
    (error: Error) => error.constructor.name,
  );
  return [outcome, ...told];
}

const withClass = (set: MachineSet, name: string, generation: number): MachineSet => {
  const template = { ...set.spec?.template, spec: { class: { kind: 'MachineClass', name } } };
  return { ...set, metadata: { ...set.metadata, generation }, spec: { ...set.spec, template } };
};

const withHash = (set: MachineSet, hash: string): MachineSet => {
  const labels = { ...set.metadata.labels, 'machine-template-hash': hash };
  return { ...set, metadata: { ...set.metadata, labels } };
};

const NOW = view(machineDeployment(), []).now;

const keptSince = (set: MachineSet, since: number): MachineSet => {
  const deletionTimestamp = new Date(since).toISOString();
  return { ...set, metadata: { ...set.metadata, deletionTimestamp, finalizers: ['example.com/audit'] } };
};

// hack/decisions/0051 S2: the set that somebody edited was found to be the one, and looked for again, without an end.
test.each([
  ['is of this template: an answer was lost', (set: MachineSet) => set, ['found']],
  [
    'got another template since',
    (set: MachineSet) => withClass(set, 'other', 2),
    [expect.stringContaining('"collisionCount":1')],
  ],
  [
    'is new and of another template, by its hash',
    (set: MachineSet) => withHash(withClass(set, 'other', 1), 'other'),
    [expect.stringContaining('"collisionCount":1')],
  ],
  ['somebody else keeps, since a moment ago', (set: MachineSet) => keptSince(set, NOW - 59_000), ['NameStillKept']],
  [
    'somebody else keeps for long (hack/decisions/0051 L105)',
    (set: MachineSet) => keptSince(set, NOW - 61_000),
    [expect.stringContaining('"collisionCount":1')],
  ],
  [
    'was never stored with this template',
    (set: MachineSet) => withClass(set, 'other', 1),
    ['TemplateNotKept', 'MachineSetCreateError'],
  ],
])('a set whose name is taken by one that %s', async (_what, change, outcome) => {
  expect<unknown>(await madeBeside(change)).toEqual(outcome);
});

test('a list of machines to delete is taken over in one write, and only as it was seen', async () => {
  const deployment = machineDeployment({ spec: { deleteMachines: ['a'] } });
  const bodies: unknown[] = [];
  const patch = async (_resource: unknown, _ref: unknown, sent: { body: unknown }) => {
    bodies.push(sent.body);
    return deployment;
  };
  const cache = new Cache<MachineDeployment>();
  const effects = { deploymentWrites: { api: { patch }, resource: {}, cache } } as unknown as MachineDeploymentEffects;
  await apply(effects, view(deployment, []), { do: 'takeVictims', annotations: { x: 'a' } });
  expect(bodies).toEqual([
    expect.objectContaining({
      metadata: expect.objectContaining({ resourceVersion: '1', annotations: { x: 'a' } }),
      spec: { deleteMachines: null },
    }),
  ]);
});
