import { describe, expect, test } from 'bun:test';
import { systemClock } from '../controller/runtime/clock.ts';
import { FakeLog } from '../controller/runtime/log.fake.ts';
import type { Machine } from '../schemas/machine.ts';
import { machineOf, setOf } from '../test/admission/among.ts';
import { lookUpIn, NAMESPACE, providers, smallClass } from '../test/admission/facts.ts';
import { NotYetKnown } from './facts.ts';
import { createLookUp, makeCaches, missingIn } from './lookup.ts';

const elsewhere = <T extends { metadata: object }>(object: T): T => ({
  ...object,
  metadata: { ...object.metadata, namespace: 'elsewhere' },
});

test('facts are those of one namespace', () => {
  const leaving = machineOf('leaving');
  leaving.metadata.deletionTimestamp = '2026-01-01T00:00:00Z';
  const facts = lookUpIn([
    smallClass,
    machineOf('one'),
    machineOf('two', 'large'),
    leaving,
    setOf('herd', { app: 'herd' }),
    ...[smallClass, machineOf('far'), setOf('far', { app: 'herd' })].map(elsewhere),
  ])(NAMESPACE);
  const names = (objects: readonly { metadata: { name: string } }[]) => objects.map(({ metadata }) => metadata.name);
  expect(facts.machineClass('small')).toMatchObject({ provider: 'virtual', metadata: { namespace: NAMESPACE } });
  expect(facts.machineClass('large')).toBeUndefined();
  expect(names(facts.machinesOf('small'))).toEqual(['one', 'leaving']);
  expect(names(facts.sets())).toEqual(['herd']);
  expect(facts.drivers).toEqual(['virtual']);
  expect(facts.provider('virtual')?.name).toBe('virtual');
  expect(facts.provider('Virtual')).toBeUndefined();
});

test('of machines only name and class are kept, for they are many', () => {
  const large = machineOf('one');
  large.metadata.annotations = { story: 'x'.repeat(1000) };
  const { machines } = makeCaches(new FakeLog());
  machines.reset([large], '1');
  expect(machines.list()).toEqual([
    { metadata: { name: 'one' }, spec: { class: { kind: 'MachineClass', name: 'small' } } } as Machine,
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
