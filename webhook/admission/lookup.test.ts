import { describe, expect, test } from 'bun:test';
import { systemClock } from '../../controller/runtime/clock.ts';
import { FakeLog } from '../../controller/runtime/observability/log.fake.ts';
import { FINALIZER } from '../../schemas/keys.ts';
import type { Machine } from '../../schemas/machine.ts';
import { clusterNamed, leavingCluster, machineIn, machineOf, setOf } from '../../test/admission/among.ts';
import { lookUpIn, NAMESPACE, providers, smallClass } from '../../test/admission/facts.ts';
import { NotYetKnown } from './context.ts';
import { createLookUp, makeCaches, missingIn } from './lookup.ts';

const elsewhere = <T extends { metadata: object }>(object: T): T => ({
  ...object,
  metadata: { ...object.metadata, namespace: 'elsewhere' },
});

test('facts are those of one namespace', () => {
  const leaving = machineOf('leaving');
  Object.assign(leaving.metadata, { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: [FINALIZER] });
  // hack/decisions/0051 U38
  const kept = machineOf('kept');
  Object.assign(kept.metadata, { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['example.com/audit'] });
  const facts = lookUpIn([
    smallClass,
    machineOf('one'),
    machineOf('two', 'large'),
    leaving,
    kept,
    setOf('herd', { app: 'herd' }),
    ...[smallClass, machineOf('far'), setOf('far', { app: 'herd' })].map(elsewhere),
  ])(NAMESPACE);
  const names = (objects: readonly { metadata: { name: string } }[]) => objects.map(({ metadata }) => metadata.name);
  expect(facts.machineClass('small')).toMatchObject({ provider: 'virtual', metadata: { namespace: NAMESPACE } });
  expect(facts.machineClass('large')).toBeUndefined();
  expect(names(facts.machinesOf('small'))).toEqual(['one', 'leaving']);
  expect(names(facts.sets())).toEqual(['herd']);
  expect(facts.drivers).toEqual(['virtual', 'shelf', 'forge']);
  expect(facts.provider('virtual')?.name).toBe('virtual');
  expect(facts.provider('Virtual')).toBeUndefined();
});

test('a Cluster is there, leaves or is missing, and machines are found by it', () => {
  const objects = [clusterNamed('west'), leavingCluster('east'), machineIn('one', 'west'), machineOf('two')];
  const facts = lookUpIn([...objects, elsewhere(clusterNamed('far')), elsewhere(machineIn('three', 'west'))])(
    NAMESPACE,
  );
  expect(['west', 'east', 'far'].map((name) => facts.cluster(name))).toEqual(['present', 'terminating', 'missing']);
  expect(facts.machinesIn('west').map(({ metadata }) => metadata.name)).toEqual(['one']);
});

test('where Clusters are not served nobody can tell, and nothing waits for them', () => {
  const caches = makeCaches(new FakeLog());
  for (const cache of Object.values(caches)) cache.reset([], '1');
  caches.clusters.absent();
  expect(missingIn(caches)).toBeUndefined();
  expect(createLookUp({ caches, providers, clock: systemClock })(NAMESPACE).cluster('west')).toBe('unserved');
});

test('of machines only name, class and Cluster are kept, for they are many', () => {
  const large = machineIn('one', 'west');
  large.metadata.labels = { ...large.metadata.labels, app: 'herd' };
  large.metadata.annotations = { story: 'x'.repeat(1000) };
  const { machines } = makeCaches(new FakeLog());
  machines.reset([large], '1');
  expect(machines.list()).toEqual([
    {
      metadata: { name: 'one', labels: { 'cluster.k8s.io/cluster-name': 'west' } },
      spec: { class: { kind: 'MachineClass', name: 'small' } },
    } as Machine,
  ]);
});

describe('before the lists are in', () => {
  const empty = () => {
    const caches = makeCaches(new FakeLog());
    return { caches, facts: createLookUp({ caches, providers, clock: systemClock })(NAMESPACE) };
  };

  test.each([
    ['a class', ({ facts }: ReturnType<typeof empty>) => facts.machineClass('small')],
    ['machines', ({ facts }: ReturnType<typeof empty>) => facts.machinesOf('small')],
    ['sets', ({ facts }: ReturnType<typeof empty>) => facts.sets()],
    ['a Cluster', ({ facts }: ReturnType<typeof empty>) => facts.cluster('west')],
  ])('%s cannot be looked up', (_what, look) => {
    expect(() => look(empty())).toThrow(NotYetKnown);
  });

  test('what is missing is named', () => {
    const { caches, facts } = empty();
    expect(missingIn(caches)).toContain('classes, machines');
    for (const cache of Object.values(caches)) cache.reset([], '1');
    expect(missingIn(caches)).toBeUndefined();
    expect(facts.sets()).toEqual([]);
  });
});
