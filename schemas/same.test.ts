import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { coldChanges } from './hotpart.ts';
import { isSame, isSameBarNulls } from './same.ts';

// hack/decisions/0028 W1

const copy = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

test('values of JSON are equal where Bun says so', () => {
  const json = fc.jsonValue({ maxDepth: 4 });
  fc.assert(
    fc.property(json, json, (one, other) => {
      expect(isSame(one, other)).toBe(Bun.deepEquals(one, other));
      expect(isSame(copy(one), copy(one))).toBe(true);
    }),
  );
});

test.each([
  [{ a: 1 }, { b: 1 }],
  [{ a: null }, {}],
  [{}, []],
  [[], {}],
  [[1], [1, 2]],
  [{ toString: 1 }, { a: 1 }],
  [null, {}],
  ['1', 1],
])('%j is not %j', (one, other) => {
  expect(isSame(one, other)).toBe(false);
});

test.each([
  [{ a: undefined }, {}],
  [{}, { a: undefined }],
  [[{ a: 1, b: undefined }], [{ a: 1 }]],
])('what is undefined is as good as absent: %p', (one, other) => {
  expect(isSame(one, other)).toBe(true);
});

test('what is null is as good as absent in fields of the API, and an item of a list is not', () => {
  expect(isSameBarNulls({ a: { b: null }, c: 1 }, { a: {}, c: 1, d: null })).toBe(true);
  expect(isSameBarNulls({ a: null }, { a: {} })).toBe(false);
  expect(isSameBarNulls([null], [])).toBe(false);
  expect(isSameBarNulls([], {})).toBe(false);
});

/** As deep as the API server takes it, with a text at the bottom. */
function deep(bottom: string): unknown {
  let value: unknown = bottom;
  for (let level = 0; level < 10_000; level++) value = { a: value };
  return value;
}

test('the deepest object that the API server takes is compared at once, and each of its parts', () => {
  expect(isSame(deep('x'), deep('x'))).toBe(true);
  expect(isSame(deep('x'), deep('y'))).toBe(false);
  expect(coldChanges(deep('x'), deep('x'), {})).toEqual([]);
  expect(coldChanges(deep('x'), deep('y'), {})).toHaveLength(1);
});
