import { describe, expect, test } from 'bun:test';
import type { Breach } from './cloud.ts';
import type { Invariant } from './finding.ts';
import { findingText } from './report.ts';
import { simulate } from './run.ts';

const seeds = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

test.each(seeds(20))(
  'seed %i keeps every promise (hack/spec/cluster-api.md A1.12 L8, F2 12, 13), and settles',
  (seed) => {
    const outcome = simulate({ seed });
    if (outcome.finding) throw new Error(findingText(outcome));
  },
);

test('a seed runs the same each time', () => {
  const [once, again] = [simulate({ seed: 7, record: true }), simulate({ seed: 7, record: true })];
  expect(once.log.length).toBeGreaterThan(100);
  expect(again.log).toEqual([...once.log]);
});

describe('a fault that breaks a promise is found', () => {
  test.each<[Breach, Invariant]>([
    ['forgetful', 'one VM a machine'],
    ['silence is absence', 'nothing is created on unknown'],
    ['denies what it deletes', 'no VM is forgotten'],
  ])(
    'a cloud that is so: %s',
    (breach, invariant) => {
      const found = seeds(200).find((seed) => simulate({ seed, breach }).finding?.invariant === invariant);
      expect(found).toBeDefined();
    },
    120_000,
  );
});
