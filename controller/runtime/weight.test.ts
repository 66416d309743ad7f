import { expect, test } from 'bun:test';
import { weightOf } from './weight.ts';

// hack/decisions/0028 W8, T16

test.each([
  [null, 8],
  [7, 8],
  ['wool', 36],
  ['wôol', 36],
  ['woжl', 40],
  [{}, 64],
  [[1, null], 64 + 16],
  [{ metadata: { name: 'wool' } }, 64 + 64 + 36],
  [{ a: 'wool', b: { c: [] } }, 64 + 81 + 36 + 81 + 64 + 81 + 64],
  [{ ж: 1 }, 64 + 82 + 8],
])('%j weighs %d', (value, weight) => {
  expect(weightOf(value)).toBe(weight);
});

test('what is nested a million times deep is weighed', () => {
  let deep: unknown = null;
  for (let level = 0; level < 1e6; level++) deep = [deep];
  expect(weightOf(deep)).toBeGreaterThan(48e6);
});
