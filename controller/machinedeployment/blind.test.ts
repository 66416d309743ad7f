import { expect, test } from 'bun:test';
import { resources } from '../../schemas/kinds.ts';
import { machineDeployment } from '../../test/fixtures/objects.ts';
import { ApiServer } from '../../test/world/apiserver.ts';
import { WorldClock } from '../../test/world/clock.ts';
import { connectionTo } from '../../test/world/connection.ts';
import { RefusedChildren, Repeats } from '../flow/refusals.ts';
import { DecisionLog } from '../framework/decisionlog.ts';
import { oneTarget } from '../model/target.fixture.ts';
import { Api } from '../runtime/client/api.ts';
import type { Events } from '../runtime/events/events.ts';
import { Slots } from '../runtime/fairness/slots.ts';
import { FakeLog } from '../runtime/observability/log.fake.ts';
import { createMetrics } from '../runtime/observability/metrics.ts';
import { seededRandom } from '../runtime/random.ts';
import { openGates } from '../safety/outage/gates.fixture.ts';
import { makeCaches } from '../state/caches.ts';
import { reconcileMachineDeployment } from './controller.ts';
import { RefusedNodes } from './flow/rolloutnodes.ts';

/** A deployment on a server, and a controller whose cache of sets shows nothing of what it makes. */
async function blind() {
  const clock = new WorldClock();
  const api = new Api({ connection: connectionTo(new ApiServer({ clock, random: seededRandom(1) })), clock });
  await api.request('POST', '/api/v1/namespaces', { body: { metadata: { name: 'herd' } } });
  const log = new FakeLog();
  const caches = makeCaches(log);
  for (const cache of [caches.sets, caches.machines]) cache.reset([], '0');
  const kind = { apiVersion: 'machine.sapcloud.io/v1alpha1', kind: 'MachineDeployment' };
  caches.deployments.put(await api.create(resources.machineDeployments, { ...kind, ...machineDeployment() }));
  const parts = {
    ...caches,
    clock,
    decisionLog: new DecisionLog({ kind: 'machineDeployment', log, metrics: createMetrics({ tables: [] }) }),
    events: { record: () => {} } as unknown as Events,
    gates: openGates,
    clusters: new Map(),
    drivers: new Map(),
    targets: oneTarget(undefined),
    refusedNodes: new RefusedNodes(),
    births: { count: () => 0 },
    repeats: new Repeats(),
    refusals: new RefusedChildren(),
    disablesScaleDown: true,
    lanes: new Slots({ clock, bounds: [], enqueue: () => {} }),
    deploymentWrites: { api, resource: resources.machineDeployments, cache: caches.deployments },
    setWrites: { api, resource: resources.machineSets, cache: caches.sets },
    machineWrites: { api, resource: resources.machines, cache: caches.machines },
  };
  return { api, pass: () => reconcileMachineDeployment(parts, 'herd/pool') };
}

test('hack/spec/cluster-api.md F2 12: a deployment makes one set, however long its cache shows none', async () => {
  const { api, pass } = await blind();
  for (let passes = 0; passes < 3; passes++) await pass();
  expect((await api.list(resources.machineSets)).items).toHaveLength(1);
  const { status } = await api.get(resources.machineDeployments, { namespace: 'herd', name: 'pool' });
  expect(status?.collisionCount).toBeUndefined();
});
