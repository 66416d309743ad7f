import { beforeEach, expect, test } from 'bun:test';
import { resources } from '../../schemas/kinds.ts';
import { machine, machineClass, machineSet } from '../../test/fixtures/objects.ts';
import { ApiServer } from '../../test/world/apiserver.ts';
import { WorldClock } from '../../test/world/clock.ts';
import { connectionTo } from '../../test/world/connection.ts';
import { makeCaches } from '../caches.ts';
import type { Driver } from '../driver.ts';
import { HotFields } from '../hotfields.ts';
import { Journal } from '../journal.ts';
import { ownedBy } from '../ownership.ts';
import { Api } from '../runtime/api.ts';
import type { Events } from '../runtime/events.ts';
import { FakeLog } from '../runtime/log.fake.ts';
import { createMetrics } from '../runtime/metrics.ts';
import { seededRandom } from '../runtime/random.ts';
import { openGates } from '../safety/gates.fixture.ts';
import { oneTarget } from '../targets.fixture.ts';
import { MachineSetController } from './controller.ts';

const clock = new WorldClock();
const log = new FakeLog();
const events = { record: () => {} } as unknown as Events;
const metrics = createMetrics({ tables: [] });
const journal = new Journal({ kind: 'machineSet', log, metrics });

let api: Api;
let caches: ReturnType<typeof makeCaches>;
let controller: MachineSetController;

/** A server that holds the set `herd/set`, and caches that have just been filled. */
beforeEach(async () => {
  api = new Api({ connection: connectionTo(new ApiServer({ clock, random: seededRandom(1) })), clock });
  await api.request('POST', '/api/v1/namespaces', { body: { metadata: { name: 'herd' } } });
  caches = makeCaches(log);
  const { apiVersion, kind } = { apiVersion: 'machine.sapcloud.io/v1alpha1', kind: 'MachineSet' };
  const set = await api.create(resources.machineSets, { apiVersion, kind, ...machineSet() });
  for (const cache of [caches.sets, caches.machines]) cache.reset([], '0');
  caches.sets.put(set);
  caches.classes.put(machineClass());
  controller = new MachineSetController({
    ...caches,
    clock,
    journal,
    events,
    metrics,
    gates: openGates,
    clusters: new Map(),
    targets: oneTarget(undefined),
    drivers: new Map([['virtual', {} as Driver]]),
    hotFields: new HotFields(new Map()),
    overshoot: { up: 2, down: 1, periodMs: 60_000 },
    setWrites: { api, resource: resources.machineSets, cache: caches.sets },
    machineWrites: { api, resource: resources.machines, cache: caches.machines },
  });
});

const names = async () => (await api.list(resources.machines)).items.map(({ metadata }) => metadata.name);

test('a set makes no machine too many while its cache shows only some of those that it made (decisions 3, CKV F2 12, 13)', async () => {
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

test('CKV F2 13: a set asks the API server itself, and makes machines again once those that nobody has seen are gone', async () => {
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
