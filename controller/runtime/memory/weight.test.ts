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

// hack/decisions/0028 T25: each order of names is a shape of its own in memory.
test.each([
  ['a condition as an API server writes it', { type: 'Ready', status: 'True', reason: 'r' }, 0],
  ['one with its fields in another order', { status: 'True', type: 'Ready', reason: 'r' }, 3 * 80 + 16],
  ['fields of several kinds of maps in one', { type: 'a', key: 'b', name: 'c' }, 3 * 80 + 11],
  ['labels by the names of fields', { name: 'a', kind: 'b' }, 2 * 80 + 8],
])('names of %s', (_what, map, weight) => {
  const texts = Object.values(map).reduce((sum, text) => sum + 32 + text.length, 0);
  expect(weightOf(map) - 64 - texts).toBe(weight);
});

test('what is nested a million times deep is weighed', () => {
  let deep: unknown = null;
  for (let level = 0; level < 1e6; level++) deep = [deep];
  expect(weightOf(deep)).toBeGreaterThan(48e6);
});
