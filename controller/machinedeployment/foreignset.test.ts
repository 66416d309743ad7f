import { expect, test } from 'bun:test';
import { machine, machineDeployment, machineSet } from '../../test/fixtures/objects.ts';
import { oneTarget } from '../model/target.fixture.ts';
import { FakeClock } from '../runtime/clock.fake.ts';
import { FakeLog } from '../runtime/observability/log.fake.ts';
import { openGates } from '../safety/outage/gates.fixture.ts';
import { makeCaches } from '../state/caches.ts';
import { RefusedNodes } from './flow/rolloutnodes.ts';
import { observe } from './observe.ts';

// hack/decisions/0028 T45

const labels = { pool: 'a' };
const ownedBy = (kind: string, name: string, uid: string) => ({
  ownerReferences: [{ apiVersion: 'machine.sapcloud.io/v1alpha1', kind, name, uid, controller: true }],
});
const setOf = (namespace: string, name: string, uid: string) =>
  machineSet({
    metadata: { name, namespace, uid: `uid-${name}`, labels, ...ownedBy('MachineDeployment', 'pool', uid) },
  });
const machineOf = (namespace: string, name: string, set: string) =>
  machine({ metadata: { name, namespace, uid: `uid-${name}`, ...ownedBy('MachineSet', set, `uid-${set}`) } });

test('a deployment has the sets and machines of its own namespace alone, whatever UID others name', () => {
  const caches = makeCaches(new FakeLog());
  for (const cache of [caches.deployments, caches.sets, caches.machines, caches.classes]) cache.reset([], '0');
  caches.deployments.put(machineDeployment({ metadata: { uid: 'uid-pool' } }));
  caches.sets.put(setOf('herd', 'own', 'uid-pool'));
  for (const [at, uid] of ['uid-pool', 'none/herd', 'herd/none', 'herd/uid/uid-pool', ''].entries())
    caches.sets.put(setOf('flock', `other-${at}`, uid));
  caches.machines.put(machineOf('herd', 'm', 'own'));
  caches.machines.put(machineOf('flock', 'other', 'own'));
  const seen = observe(
    {
      ...caches,
      gates: openGates,
      clusters: new Map(),
      shieldsNodes: true,
      births: { count: () => 0 },
      drivers: new Map(),
      targets: oneTarget(undefined),
      refusedNodes: new RefusedNodes(),
      clock: new FakeClock(),
    },
    'herd/pool',
    { refused: new Set(), refusal: undefined },
  );
  const names = (all: ReadonlyArray<{ metadata: { name: string } }> = []) => all.map(({ metadata }) => metadata.name);
  expect(names(seen?.sets.map(({ set }) => set))).toEqual(['own']);
  expect(names(seen?.sets.flatMap(({ machines }) => machines))).toEqual(['m']);
  expect([...names(seen?.orphans), ...names(seen?.strays)]).toEqual([]);
});
