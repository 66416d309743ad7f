import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  isEmpty,
  isTooLarge,
  MOST_PARTS,
  MOST_VALUES,
  matches,
  type Requirement,
  type Selector,
  selectorFindings,
} from './selector.ts';

describe('matches', () => {
  test.each<[string, Selector | undefined, Record<string, string> | undefined, boolean]>([
    ['an absent selector picks nothing', undefined, { a: 'b' }, false],
    ['an empty selector picks everything', {}, undefined, true],
    ['a label that is equal is picked', { matchLabels: { a: 'b' } }, { a: 'b', c: 'd' }, true],
    ['a label that differs is not', { matchLabels: { a: 'b' } }, { a: 'c' }, false],
    ['all labels must be equal', { matchLabels: { a: 'b', c: 'd' } }, { a: 'b' }, false],
    [
      'In wants one of its values',
      { matchExpressions: [{ key: 'a', operator: 'In', values: ['x', 'y'] }] },
      { a: 'y' },
      true,
    ],
    ['In wants the label', { matchExpressions: [{ key: 'a', operator: 'In', values: ['x'] }] }, {}, false],
    ['NotIn holds without the label', { matchExpressions: [{ key: 'a', operator: 'NotIn', values: ['x'] }] }, {}, true],
    [
      'NotIn refuses its values',
      { matchExpressions: [{ key: 'a', operator: 'NotIn', values: ['x'] }] },
      { a: 'x' },
      false,
    ],
    ['Exists takes an empty value', { matchExpressions: [{ key: 'a', operator: 'Exists' }] }, { a: '' }, true],
    [
      'DoesNotExist wants the label absent',
      { matchExpressions: [{ key: 'a', operator: 'DoesNotExist' }] },
      { a: '' },
      false,
    ],
    [
      'an unknown operator picks nothing',
      { matchExpressions: [{ key: 'a', operator: 'constructor' }] },
      { a: 'b' },
      false,
    ],
    ['inherited names are no labels', { matchExpressions: [{ key: 'toString', operator: 'Exists' }] }, {}, false],
  ])('%s', (_what, selector, labels, picked) => {
    expect(matches(selector, labels)).toBe(picked);
  });

  const word = fc.constantFrom('a', 'b', 'c');
  const labels = fc.dictionary(word, word);
  const requirement: fc.Arbitrary<Requirement> = fc.record({
    key: word,
    operator: fc.constantFrom('In', 'NotIn', 'Exists', 'DoesNotExist'),
    values: fc.array(word),
  });

  test('agrees with a naive model for every selector and label set', () => {
    fc.assert(
      fc.property(labels, fc.array(requirement), labels, (matchLabels, matchExpressions, present) => {
        expect(matches({ matchLabels, matchExpressions }, present)).toBe(
          naive({ matchLabels, matchExpressions }, present),
        );
      }),
    );
  });
});

// hack/decisions/0028 T4
describe('a selector', () => {
  const many = (count: number): string[] => Array.from({ length: count }, (_, at) => `x-${at}`);
  const labels = (count: number) => Object.fromEntries(many(count).map((key) => [key, 'here']));
  const expressions = (count: number) => many(count).map((key): Requirement => ({ key, operator: 'Exists' }));
  const comparing = (count: number): Requirement => ({ key: 'a', operator: 'In', values: many(count) });
  const hash = { 'machine-template-hash': '1' };

  test.each<[string, Selector, boolean]>([
    ['with as many labels as it may have', { matchLabels: labels(MOST_PARTS) }, false],
    ['of a set, with the template’s hash besides', { matchLabels: { ...labels(MOST_PARTS), ...hash } }, false],
    ['with more labels', { matchLabels: labels(MOST_PARTS + 1) }, true],
    ['with as many expressions as it may have', { matchExpressions: expressions(MOST_PARTS) }, false],
    ['with a label too many beside them', { matchLabels: labels(1), matchExpressions: expressions(MOST_PARTS) }, true],
    ['with more expressions', { matchExpressions: expressions(MOST_PARTS + 1) }, true],
    ['with as many values as it may have', { matchExpressions: [comparing(MOST_VALUES)] }, false],
    ['with more values', { matchExpressions: [comparing(MOST_VALUES), comparing(1)] }, true],
  ])('%s is too large or not', (_what, selector, isLarge) => {
    expect(isTooLarge(selector)).toBe(isLarge);
    expect(selectorFindings(selector)).toHaveLength(isLarge ? 1 : 0);
    const picked = { ...labels(MOST_PARTS + 1), ...hash, a: 'x-0' };
    expect(matches(selector, picked)).toBe(!isLarge);
  });

  test('is read once, however many objects it is held against', () => {
    let reads = 0;
    const values = ['b'];
    const counted = {
      key: 'a',
      operator: 'In',
      get values() {
        reads += 1;
        return values;
      },
    };
    const selector = { matchExpressions: [counted] };
    matches(selector, { a: 'b' });
    const once = reads;
    for (let at = 0; at < 100; at++) matches(selector, { a: 'b', at: String(at) });
    expect(reads).toBe(once);
  });
});

/** Counts what does not hold, one case at a time. */
function naive(selector: Required<Selector>, present: Record<string, string>): boolean {
  let broken = 0;
  for (const key in selector.matchLabels) if (!(key in present) || present[key] !== selector.matchLabels[key]) broken++;
  for (const { key, operator, values } of selector.matchExpressions ?? []) {
    const hit = (values ?? []).some((value) => key in present && present[key] === value);
    if (operator === 'In' && !hit) broken++;
    if (operator === 'NotIn' && hit) broken++;
    if (operator === 'Exists' && !(key in present)) broken++;
    if (operator === 'DoesNotExist' && key in present) broken++;
  }
  return broken === 0;
}

test.each<[string, Selector | null | undefined, boolean]>([
  ['an absent one', undefined, true],
  ['null', null, true],
  ['one without parts', {}, true],
  ['one with empty parts', { matchLabels: {}, matchExpressions: [] }, true],
  ['one with a label', { matchLabels: { a: 'b' } }, false],
  ['one with an expression', { matchExpressions: [{ key: 'a', operator: 'Exists' }] }, false],
])('a selector is empty or not: %s', (_what, selector, empty) => {
  expect(isEmpty(selector)).toBe(empty);
});

describe('selectorFindings', () => {
  test.each<[string, Selector, string[]]>([
    ['plain labels', { matchLabels: { a: 'b', 'x.io/a': '' } }, []],
    [
      'every operator',
      {
        matchExpressions: [
          { key: 'a', operator: 'In', values: ['b'] },
          { key: 'a', operator: 'Exists' },
        ],
      },
      [],
    ],
    ['a key with two slashes', { matchLabels: { 'a/b/c': 'd' } }, ['matchLabels[a/b/c]']],
    ['a key that is too long', { matchLabels: { ['k'.repeat(64)]: 'd' } }, [`matchLabels[${'k'.repeat(64)}]`]],
    [
      'a prefix that is too long',
      { matchLabels: { [`${'k'.repeat(254)}/a`]: '' } },
      [`matchLabels[${'k'.repeat(254)}/a]`],
    ],
    ['a prefix in upper case', { matchLabels: { 'X.io/a': '' } }, ['matchLabels[X.io/a]']],
    ['an empty key', { matchExpressions: [{ key: '', operator: 'Exists' }] }, ['matchExpressions[0].key']],
    ['a value with a blank', { matchLabels: { a: 'b c' } }, ['matchLabels[a]']],
    [
      'an unknown operator',
      { matchExpressions: [{ key: 'a', operator: 'Near', values: ['b'] }] },
      ['matchExpressions[0].operator'],
    ],
    ['In without values', { matchExpressions: [{ key: 'a', operator: 'In' }] }, ['matchExpressions[0].values']],
    [
      'Exists with values',
      { matchExpressions: [{ key: 'a', operator: 'Exists', values: ['b'] }] },
      ['matchExpressions[0].values'],
    ],
    [
      'a bad value of In',
      { matchExpressions: [{ key: 'a', operator: 'In', values: ['b', '-'] }] },
      ['matchExpressions[0].values[1]'],
    ],
  ])('%s', (_what, selector, places) => {
    expect(selectorFindings(selector).map(({ at }) => at)).toEqual(places);
  });
});
