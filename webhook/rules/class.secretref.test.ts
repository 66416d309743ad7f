import { expect, test } from 'bun:test';
import type { MachineClass } from '../../schemas/machineclass.ts';
import { factsOf, smallClass } from '../../test/admission/facts.ts';
import { secretRefRules } from './class.ts';

test('a class may name a Secret without a namespace: that is its own', () => {
  const [rule] = secretRefRules;
  const now: MachineClass = {
    ...smallClass,
    metadata: { name: 'small', namespace: 'default' },
    secretRef: { name: 'cloud' },
  };
  expect(rule?.validate(now, undefined, factsOf())).toEqual([]);
});
