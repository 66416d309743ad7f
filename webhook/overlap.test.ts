import { expect, test } from 'bun:test';
import type { MachineSet } from '../schemas/machineset.ts';
import { setOf } from '../test/admission/among.ts';
import { factsOf } from '../test/admission/facts.ts';
import { setTakesOthers } from './overlap.ts';

/** A set whose selector does not pick so many values of a label, and so picks the other. */
function without(values: number): MachineSet {
  const set = setOf('mine', { app: 'herd' });
  const requirement = {
    key: 'app',
    operator: 'NotIn' as const,
    values: Array.from({ length: values }, (_, at) => `v${at}`),
  };
  return { ...set, spec: { ...set.spec, selector: { matchExpressions: [requirement] } } };
}

// hack/decisions/0028 W1
test.each([
  [999, 1],
  [1_000, 0],
])('a selector of %p values is warned of %p times', (values, warnings) => {
  const facts = factsOf([setOf('other', { app: 'herd' })]);
  expect(setTakesOthers.broken(without(values), undefined, facts)).toHaveLength(warnings);
});
