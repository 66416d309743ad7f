import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { isSameBarNulls } from '../../schemas/same.ts';
import { canonical, digestOf, safeEncode } from './template.ts';

test.each([
  ['1841129019', '5d855'],
  ['0', '4'],
])('hack/spec/mcm.md Annex B, hash suffix: the first five letters of %s are %s', (hash, suffix) => {
  expect(safeEncode(hash.slice(0, 5))).toBe(suffix);
  expect(safeEncode(hash).slice(0, 5)).toBe(suffix);
});

// hack/decisions/0051 S25
test('values of the same canonical text are those that compare alike, so that the hash of a template and its comparison agree', () => {
  const leaf = fc.constantFrom(null, undefined, 0, 1, 'a');
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      leaf,
      fc.array(
        tie('value').map((item) => item ?? null),
        { maxLength: 2 },
      ),
      fc.record({ a: tie('value'), b: tie('value') }, { requiredKeys: [] }),
    ),
  }));
  fc.assert(
    fc.property(value, value, (one, other) => {
      expect(isSameBarNulls(one, other)).toBe(canonical(one) === canonical(other));
      expect(isSameBarNulls(one, other)).toBe(digestOf(one) === digestOf(other));
    }),
  );
});

// hack/decisions/0028 T67
test('a digest, or canonical JSON, is made of what is as deep as the API server takes it, and it tells what is at the bottom', () => {
  const deep = (bottom: string): unknown => {
    let value: unknown = bottom;
    for (let level = 0; level < 10_000; level++) value = level % 2 ? [value] : { a: value };
    return value;
  };
  expect(digestOf(deep('x'))).toBe(digestOf(deep('x')));
  expect(digestOf(deep('x'))).not.toBe(digestOf(deep('y')));
  // hack/decisions/0028 T85
  expect(canonical(deep('x'))).toBe(JSON.stringify(deep('x')));
});

test.each<[unknown, unknown]>([
  [[['a'], []], [['a', []]]],
  [{ a: { b: 1 } }, { a: {}, b: 1 }],
  [[['a']], { a: ['a'] }],
  ['[1', [1]],
  [[], {}],
])('the digest of %j is not that of %j', (one, other) => expect(digestOf(one)).not.toBe(digestOf(other)));
