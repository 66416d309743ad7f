import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { mergePatch } from './same.ts';

test.each([
  ['equal objects need no patch', { a: 1, b: { c: [1] } }, { b: { c: [1] }, a: 1 }, undefined],
  ['a changed value is set', { a: 1 }, { a: 2 }, { a: 2 }],
  ['a missing value is removed', { a: 1, b: 2 }, { a: 1 }, { b: null }],
  ['an undefined value is removed', { a: 1 }, { a: undefined }, { a: null }],
  ['what was never there is not removed', {}, { a: undefined }, undefined],
  ['only the changed part of a map is sent', { a: { b: 1, c: 2 } }, { a: { b: 1, c: 3 } }, { a: { c: 3 } }],
  ['a list is replaced whole', { a: [1, 2] }, { a: [1] }, { a: [1] }],
  ['a map replaces a value', { a: 1 }, { a: { b: 1 } }, { a: { b: 1 } }],
])('%s', (_what, before, after, patch) => {
  expect(mergePatch(before, after)).toEqual(patch as never);
});

// hack/decisions/0028 T4b
test('lists are compared in time that their depth does not square', () => {
  const deep = (): unknown => JSON.parse('['.repeat(10_000) + ']'.repeat(10_000));
  const much = () => ({ providerSpec: Array.from({ length: 200 }, deep) });
  expect(mergePatch(much(), much())).toBeUndefined();
});

// hack/decisions/0028 T85
test('objects may have any number of levels, and equal ones leave nothing in the patch', () => {
  const deep = (end: string): object => JSON.parse(`${'{"a":{},"b":'.repeat(40_000)}${end}${'}'.repeat(40_000)}`);
  const patch = mergePatch(deep('1'), deep('2'));
  let [one, levels]: [unknown, number] = [patch, 0];
  for (; typeof one === 'object' && one !== null; levels += 1) {
    expect(Object.keys(one)).toEqual(['b']);
    one = (one as Record<string, unknown>)['b'];
  }
  expect([one, levels]).toEqual([2, 40_000]);
  expect(mergePatch(deep('1'), deep('1'))).toBeUndefined();
});

/** RFC 7396, section 2, word by word. */
function apply(target: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const isMap = typeof target === 'object' && target !== null && !Array.isArray(target);
  const result: Record<string, unknown> = isMap ? { ...(target as object) } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = apply(result[key], value);
  }
  return result;
}

test('applying the patch to what was gives what should be', () => {
  const { tree } = fc.letrec((tie) => ({
    leaf: fc.oneof(
      fc.integer({ max: 3, min: 0 }),
      fc.string({ maxLength: 1 }),
      fc.array(fc.integer({ max: 2, min: 0 }), { maxLength: 2 }),
    ),
    tree: fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.oneof({ depthSize: 'small' }, tie('leaf'), tie('tree')), {
      maxKeys: 3,
    }),
  }));
  fc.assert(
    fc.property(tree, tree, (before, after) => {
      const patch = mergePatch(before as object, after as object);
      expect(patch ? apply(before, patch) : before).toEqual(after);
    }),
  );
});
