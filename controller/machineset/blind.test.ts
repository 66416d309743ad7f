import { beforeEach, expect, test } from 'bun:test';
import { resources } from '../../schemas/kinds.ts';
import { machine } from '../../test/fixtures/objects.ts';
import { ownedBy } from '../model/ownership.ts';
import type { Api } from '../runtime/client/api.ts';
import type { Caches } from '../state/caches.ts';
import type { MachineSetController } from './controller.ts';
import { setStage } from './stage.fixture.ts';

let api: Api;
let caches: Caches;
let controller: MachineSetController;

/** A server that holds the set `herd/set`, and caches that have just been filled. */
beforeEach(async () => {
  ({ api, caches, controller } = await setStage());
});

const names = async () => (await api.list(resources.machines)).items.map(({ metadata }) => metadata.name);

test('a set makes no machine too many while its cache shows only some of those that it made (hack/decisions/0000 3, hack/spec/cluster-api.md F2 12, 13)', async () => {
  await controller.reconcile('herd/set');
  const made = await api.list(resources.machines);
  expect(made.items.length).toBe(3);
  for (const one of made.items.slice(0, 1)) caches.machines.put(one);
  await controller.reconcile('herd/set');
  expect((await names()).length).toBe(3);
  for (const one of made.items.slice(1)) caches.machines.put(one);
  await controller.reconcile('herd/set');
  expect((await names()).length).toBe(3);
});

test('hack/spec/cluster-api.md F2 13: a set asks the API server itself, and makes machines again once those that nobody has seen are gone', async () => {
  await controller.reconcile('herd/set');
  for (const name of await names()) {
    await api.patch(
      resources.machines,
      { namespace: 'herd', name },
      { type: 'merge', body: { metadata: { finalizers: null } } },
    );
    await api.delete(resources.machines, { namespace: 'herd', name });
  }
  await controller.reconcile('herd/set');
  expect((await names()).length).toBe(3);
});

test('a set does not leave before a machine that its cache does not show', async () => {
  const ref = { namespace: 'herd', name: 'set' };
  const set = await api.delete(resources.machineSets, ref);
  if (!set) throw new Error('the set has a finalizer');
  caches.sets.put(set);
  const { apiVersion, kind } = { apiVersion: 'machine.sapcloud.io/v1alpha1', kind: 'Machine' };
  const unseen = machine({ metadata: { ownerReferences: [ownedBy(set, 'MachineSet')], finalizers: [] } });
  await api.create(resources.machines, { apiVersion, kind, ...unseen });
  await controller.reconcile('herd/set');
  expect(await names()).toEqual([]);
  expect((await api.get(resources.machineSets, ref)).metadata.finalizers).toBeDefined();
  await controller.reconcile('herd/set');
  expect((await api.list(resources.machineSets)).items).toEqual([]);
});
