import { describe, expect, test } from 'bun:test';
import { FINALIZER } from '../../schemas/keys.ts';
import type { Machine } from '../../schemas/machine.ts';
import type { MachineSet } from '../../schemas/machineset.ts';
import { machine, machineDeployment, machineSet } from '../../test/fixtures/objects.ts';
import { reasonOf } from '../flow/flow.ts';
import { oneTarget } from '../model/target.fixture.ts';
import { FakeClock } from '../runtime/clock.fake.ts';
import { FakeLog } from '../runtime/observability/log.fake.ts';
import { openGates } from '../safety/outage/gates.fixture.ts';
import { makeCaches } from '../state/caches.ts';
import { plan } from './flow/flow.ts';
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

/** What is seen of a deployment with these sets and machines. */
function seenWith({ sets, machines }: { sets: readonly MachineSet[]; machines: readonly Machine[] }) {
  const caches = makeCaches(new FakeLog());
  for (const cache of [caches.deployments, caches.sets, caches.machines, caches.classes]) cache.reset([], '0');
  caches.deployments.put(machineDeployment({ metadata: { uid: 'uid-pool' } }));
  for (const set of sets) caches.sets.put(set);
  for (const one of machines) caches.machines.put(one);
  return observe(
    {
      ...caches,
      gates: openGates,
      clusters: new Map(),
      disablesScaleDown: true,
      births: { count: () => 0 },
      drivers: new Map(),
      targets: oneTarget(undefined),
      refusedNodes: new RefusedNodes(),
      clock: new FakeClock(),
    },
    'herd/pool',
    { refused: new Set(), refusal: undefined },
  );
}

const namesOf = (all: ReadonlyArray<{ metadata: { name: string } }> = []) => all.map(({ metadata }) => metadata.name);

test('a deployment has the sets and machines of its own namespace alone, whatever UID others name', () => {
  const others = ['uid-pool', 'none/herd', 'herd/none', 'herd/uid/uid-pool', ''].map((uid, at) =>
    setOf('flock', `other-${at}`, uid),
  );
  const seen = seenWith({
    sets: [setOf('herd', 'own', 'uid-pool'), ...others],
    machines: [machineOf('herd', 'm', 'own'), machineOf('flock', 'other', 'own')],
  });
  expect(namesOf(seen?.sets.map(({ set }) => set))).toEqual(['own']);
  expect(namesOf(seen?.sets.flatMap(({ machines }) => machines))).toEqual(['m']);
  expect([...namesOf(seen?.orphans), ...namesOf(seen?.strays)]).toEqual([]);
});

// hack/decisions/0051 L105
describe('a set that is deleted, and that a finalizer of somebody else keeps,', () => {
  const own = setOf('herd', 'kept', 'uid-pool');
  const leaving = { ...own.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' };
  const kept = { ...own, metadata: { ...leaving, finalizers: ['example.com/audit'] } };
  const held = { ...own, metadata: { ...leaving, finalizers: [FINALIZER, 'example.com/audit'] } };

  test.each([
    ['is none once nothing is left of it', kept, [], []],
    ['is one while it has a machine', kept, [machineOf('herd', 'm', 'kept')], ['kept']],
    ['is one while it goes', held, [], ['kept']],
  ])('%s', (_what, set, machines, expected) => {
    expect(namesOf(seenWith({ sets: [set], machines })?.sets.map((fact) => fact.set))).toEqual(expected);
  });

  test('keeps its deployment from no new one', () => {
    const seen = seenWith({ sets: [kept], machines: [] });
    expect(seen && reasonOf(plan(seen))).toBe('CreateMachineSet');
  });
});
