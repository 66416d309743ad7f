import { expect, test } from 'bun:test';
import type { MachineSet } from '../../schemas/machineset.ts';
import { setOf } from '../../test/admission/among.ts';
import { factsOf } from '../../test/admission/facts.ts';
import { setTakesOthers } from './selector.ts';

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
  [1_000, 1],
  [1_001, 0],
])('a selector of %p values is warned of %p times', (values, warnings) => {
  const facts = factsOf([setOf('other', { app: 'herd' })]);
  expect(setTakesOthers.validate(without(values), undefined, facts)).toHaveLength(warnings);
});

// hack/decisions/0028 T10
test('of more sets than are compared it is said how many were left out', () => {
  const many = Array.from({ length: 300 }, (_, at) => setOf(`other-${at}`, { app: at === 0 ? 'herd' : 'flock' }));
  const expressions = Array.from({ length: 100 }, (_, at) => ({ key: `x-${at}`, operator: 'DoesNotExist' as const }));
  const mine = setOf('mine', {});
  const facts = factsOf(many);
  const message = (selector: object) =>
    setTakesOthers.validate({ ...mine, spec: { ...mine.spec, selector } } as MachineSet, undefined, facts)[0]?.message;
  expect(message({ matchExpressions: expressions })).toEndWith(
    '(picks those of 297 MachineSets; 3 MachineSets more were not compared)',
  );
  const none = { key: 'x-0', operator: 'Exists' as const };
  expect(message({ matchExpressions: [none, ...expressions.slice(1)] })).toContain('may also pick');
  expect(message({ matchLabels: { app: 'herd' } })).toEndWith('(picks those of 1 MachineSet)');
});
