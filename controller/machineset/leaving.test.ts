import { expect, test } from 'bun:test';
import { resources } from '../../schemas/kinds.ts';
import { inPhase, machine, machineSet } from '../../test/fixtures/objects.ts';
import { unlessGone } from '../framework/writer.ts';
import { ownedBy } from '../model/ownership.ts';
import { Cache } from '../runtime/watch/cache.ts';
import { openGate } from '../safety/outage/gates.fixture.ts';
import { apply, type MachineSetEffects, misses } from './actions.ts';
import { view } from './flow/view.fixture.ts';
import { setStage } from './stage.fixture.ts';

const apiVersion = 'machine.sapcloud.io/v1alpha1';

/** A set with a machine that its cache does not show; `leave` lets it go, and answers how many machines and which finalizers are left. */
async function leaver(...finalizers: string[]) {
  const { api, caches, set } = await setStage(machineSet({ metadata: { finalizers } }));
  const owner = { ownerReferences: [ownedBy(await set(), 'MachineSet')], finalizers: [], labels: { pool: 'a' } };
  await api.create(resources.machines, { apiVersion, kind: 'Machine', ...machine({ metadata: owner }) });
  const effects = {
    setWrites: { api, resource: resources.machineSets, cache: caches.sets },
    machineWrites: { api, resource: resources.machines, cache: caches.machines },
  } as unknown as MachineSetEffects;
  await api.delete(resources.machineSets, { namespace: 'herd', name: 'set' });
  const leaving = await set();
  return async () => {
    await apply(effects, view({ set: leaving }), { do: 'removeFinalizer' });
    const left = await unlessGone(set());
    return [(await api.list(resources.machines)).items.length, left?.metadata.finalizers ?? []];
  };
}

test('a set does not leave before a machine that its cache does not show', async () => {
  const [held = ''] = machineSet().metadata.finalizers ?? [];
  const leave = await leaver(held);
  expect(await leave()).toEqual([0, [held]]);
  expect(await leave()).toEqual([0, []]);
});

test('one that leaves its machines behind deletes none of them (hack/decisions/0051 L16)', async () => {
  const leave = await leaver(...(machineSet().metadata.finalizers ?? []), 'orphan');
  expect(await leave()).toEqual([1, ['orphan']]);
});

test('an outage that comes while machines are deleted keeps the others (hack/spec/mcm.md 13.2)', async () => {
  const deleted: string[] = [];
  let isShut = false;
  const effects = {
    gates: { of: () => (isShut ? { ...openGate, shut: { unreachable: 'target', since: 0 } } : openGate) },
    machineWrites: {
      cache: new Cache(),
      api: {
        delete: async (_resource: unknown, { name }: { name: string }) => {
          deleted.push(name);
          isShut = true;
        },
      },
    },
    events: { record: () => {} },
    metrics: { count: () => {} },
  } as unknown as MachineSetEffects;
  const machines = ['a', 'b'].map((name) => inPhase('Running', 0, { metadata: { name } }));
  await apply(effects, view(), { do: 'delete', machines });
  expect(deleted).toEqual(['a']);
});

test('a machine of a name that is sought counts only if it is the set’s', async () => {
  const { api, caches, set } = await setStage();
  const owner = await set();
  const own = { ownerReferences: [ownedBy(owner, 'MachineSet')] };
  for (const metadata of [{ name: 'own', ...own }, { name: 'other' }])
    await api.create(resources.machines, { apiVersion, kind: 'Machine', ...machine({ metadata }) });
  const machineWrites = { api, resource: resources.machines, cache: caches.machines };
  const sources = { machineWrites, births: { isOpen: () => false } };
  const found = ['own', 'other', 'none'].map((name) => misses(sources, owner, new Set([name])));
  expect(await Promise.all(found)).toEqual([true, false, false]);
});
