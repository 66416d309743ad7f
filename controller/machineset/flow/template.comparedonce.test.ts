import { expect, test } from 'bun:test';
import type { Machine } from '../../../schemas/machine.ts';
import { inPhase, machineSet } from '../../../test/fixtures/objects.ts';
import { propagation } from './template.ts';

// hack/decisions/0028 T83

const MANY = 1_000;

/** A spec with this tag on each of many, which counts how often the tags are read. */
function counted(tag: string) {
  let reads = 0;
  const tags = {};
  for (let at = 0; at < MANY; at++)
    Object.defineProperty(tags, `t${at}`, {
      enumerable: true,
      get() {
        reads += 1;
        return tag;
      },
    });
  return { spec: { provider: 'virtual', providerSpec: { tags } }, reads: () => reads };
}

const setOf = (tag: string) => machineSet({ spec: { template: { spec: counted(tag).spec } } } as never);

function machineOf({ spec }: Pick<ReturnType<typeof counted>, 'spec'>): Machine {
  const made = inPhase('Running');
  return { ...made, spec } as never;
}

test('a machine is compared once with a template, whatever version of the set brings it', () => {
  const own = counted('a');
  const machine = machineOf(own);
  expect(propagation(setOf('a'), machine)).toBeUndefined();
  const once = own.reads();
  expect(once).toBeGreaterThan(0);
  for (let look = 0; look < 10; look++) expect(propagation(setOf('a'), machine)).toBeUndefined();
  expect(own.reads()).toBe(once);
});

test('it is compared anew with another template, and a machine that has changed as well', () => {
  const own = counted('a');
  expect(propagation(setOf('a'), machineOf(own))).toBeUndefined();
  expect(propagation(setOf('b'), machineOf(own))).toMatchObject({ spec: { providerSpec: { tags: { t0: 'b' } } } });
  expect(propagation(setOf('b'), machineOf(counted('b')))).toBeUndefined();
});
