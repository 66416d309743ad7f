import { expect, test } from 'bun:test';
import { drifted, specIn, union } from './hotupdate.ts';

test.each([
  ['nothing', undefined, undefined],
  ['text that is no JSON', '{', undefined],
  ['JSON that is no map', '[1]', undefined],
  ['a map', '{"a":1}', { a: 1 }],
])('a record of %s', (_what, text, spec) => {
  expect(specIn(text)).toEqual(spec);
});

test.each([
  ['maps hold the keys of both', { tags: { a: '1' } }, { tags: { b: '2' } }, { tags: { a: '1', b: '2' } }],
  ['of a key in both the later counts', { tags: { a: '1' } }, { tags: { a: '2' } }, { tags: { a: '2' } }],
  ['lists hold the entries of both, once', { keys: ['a', 'b'] }, { keys: ['c', 'a'] }, { keys: ['c', 'a', 'b'] }],
  ['of single values the later counts', { size: 1 }, { size: 2 }, { size: 2 }],
  ['what only one has stays', { size: 1 }, {}, { size: 1 }],
  ['nothing before', undefined, { size: 1 }, { size: 1 }],
])('all that two specs may have left: %s', (_what, before, after, both) => {
  expect(union(before, after)).toEqual(both);
  expect(union(both, after)).toEqual(both);
});

const wanted = { tags: { a: '1' }, checks: false };
test.each([
  ['has what is wanted', { tags: { a: '1' }, checks: false }, false],
  ['has more than that', { tags: { a: '1', foreign: 'x' }, checks: false, other: 1 }, false],
  ['says nothing of a field', { checks: false }, false],
  ['lacks an entry', { tags: { foreign: 'x' }, checks: false }, true],
  ['has another value of an entry', { tags: { a: '2' } }, true],
  ['has another single value', { checks: true }, true],
])('a VM that %s', (_what, has, drift) => {
  expect(drifted(has, wanted)).toBe(drift);
});

// hack/decisions/0028 T84
test('lists are united by looking at each item a few times', () => {
  const MANY = 1_000;
  let reads = 0;
  const list = (prefix: string) =>
    Array.from({ length: MANY }, (_, at) => ({
      get id() {
        reads += 1;
        return `${prefix}${at}`;
      },
    }));
  expect(union({ rules: list('a') }, { rules: list('b') })).toMatchObject({ rules: { length: 2 * MANY } });
  expect(reads).toBeLessThan(10 * MANY);
});

// hack/decisions/0028 T85
test('a record that has more levels than can be gone through is one that cannot be read', () => {
  const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
  expect(specIn(nested(1_000))).toBeDefined();
  expect(union(specIn(nested(1_000)), specIn(nested(1_000)))).toEqual(JSON.parse(nested(1_000)));
  expect(specIn(nested(1_001))).toBeUndefined();
  expect(specIn(nested(40_000))).toBeUndefined();
});
