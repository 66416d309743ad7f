import { expect, test } from 'bun:test';
import { resources } from '../../schemas/kinds.ts';
import { machineClass, machineSet } from '../../test/fixtures/objects.ts';
import { ApiServer } from '../../test/world/apiserver.ts';
import { connectionTo } from '../../test/world/connection.ts';
import type { Driver } from '../drivers/sdk/driver.ts';
import { DecisionLog } from '../framework/decisionlog.ts';
import { oneTarget } from '../model/target.fixture.ts';
import { HotFields } from '../model/template.ts';
import { Api } from '../runtime/client/api.ts';
import { FakeClock } from '../runtime/clock.fake.ts';
import type { Events } from '../runtime/events/events.ts';
import { FakeLog } from '../runtime/observability/log.fake.ts';
import { createMetrics } from '../runtime/observability/metrics.ts';
import { seededRandom } from '../runtime/random.ts';
import { openGates } from '../safety/outage/gates.fixture.ts';
import { Births } from '../state/births.ts';
import { makeCaches } from '../state/caches.ts';
import { MachineSetController } from './controller.ts';

const herd = { namespace: 'herd' };
const log = new FakeLog();

/** A set of three, somebody who takes its label off every machine at once, and caches that show all of it. */
async function drifting() {
  const clock = new FakeClock();
  const api = new Api({ connection: connectionTo(new ApiServer({ clock, random: seededRandom(1) })), clock });
  await api.request('POST', '/api/v1/namespaces', { body: { metadata: { name: 'herd' } } });
  const kind = { apiVersion: 'machine.sapcloud.io/v1alpha1', kind: 'MachineSet' };
  await api.create(resources.machineSets, { ...kind, ...machineSet() });
  const caches = makeCaches(log);
  caches.classes.put(machineClass());
  const metrics = createMetrics({ tables: [] });
  const controller = new MachineSetController({
    ...caches,
    clock,
    decisionLog: new DecisionLog({ kind: 'machineSet', log, metrics }),
    events: { record: () => {} } as unknown as Events,
    metrics,
    gates: openGates,
    clusters: new Map(),
    targets: oneTarget(undefined),
    drivers: new Map([['virtual', {} as Driver]]),
    hotFields: new HotFields(new Map()),
    overshoot: { up: 2, down: 1, periodMs: 60_000 },
    births: new Births({ ...caches, clock }),
    setWrites: { api, resource: resources.machineSets, cache: caches.sets },
    machineWrites: { api, resource: resources.machines, cache: caches.machines },
  });
  const follow = async () => {
    const [sets, machines] = [await api.list(resources.machineSets), await api.list(resources.machines)];
    caches.sets.reset(sets.items, sets.resourceVersion);
    caches.machines.reset(machines.items, machines.resourceVersion);
    return machines.items;
  };
  const relabel = async () => {
    for (const { metadata } of await follow())
      await api.patch(resources.machines, metadata, { type: 'merge', body: { metadata: { labels: { pool: null } } } });
    return (await follow()).length;
  };
  const pass = () => controller.reconcile('herd/set').catch(() => {});
  return { api, clock, relabel, pass };
}

test('hack/spec/cluster-api.md F2 11: machines whose labels drift as soon as they are made cost ever fewer of them', async () => {
  const { api, clock, relabel, pass } = await drifting();
  let made = 0;
  for (let seconds = 0; seconds < 3_600; seconds += 20) {
    made = await relabel();
    await pass();
    await clock.advance(20_000);
  }
  expect(made).toBeLessThan(30);
  expect(
    (await api.get(resources.machineSets, { ...herd, name: 'set' })).status?.creationBackOff?.failures,
  ).toBeGreaterThan(3);
});
