import { expect, test } from 'bun:test';
import { weightOf } from './weight.ts';

// hack/decisions/0028 W8

test.each([
  [null, 8],
  [7, 8],
  ['wool', 28],
  [{}, 48],
  [[1, null], 48 + 16 + 2],
  [{ a: 'wool', b: { c: [] } }, 48 + 1 + 28 + 1 + 48 + 1 + 48],
])('%j weighs %d', (value, weight) => {
  expect(weightOf(value)).toBe(weight);
});

test('what is nested a million times deep is weighed', () => {
  let deep: unknown = null;
  for (let level = 0; level < 1e6; level++) deep = [deep];
  expect(weightOf(deep)).toBeGreaterThan(48e6);
});
