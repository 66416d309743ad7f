import { expect, test } from 'bun:test';
import type { Selector } from '../selector.ts';
import { missesTemplate, selectorChanged, selectorChangedBeyondHash } from './selector.ts';

const labels = (matchLabels: Record<string, string>): Selector => ({ matchLabels });
const HASH = 'machine-template-hash';

test.each<[string, Selector | undefined, Record<string, string> | undefined, boolean]>([
  ['one that matches', labels({ a: 'b' }), { a: 'b', c: 'd' }, false],
  ['one that does not', labels({ a: 'b' }), { a: 'c' }, true],
  ['one for a template without labels', labels({ a: 'b' }), undefined, true],
  ['an empty one says nothing to miss', {}, {}, false],
  ['an absent one neither', undefined, {}, false],
  ['one that cannot be understood is another matter', { matchExpressions: [{ key: 'a', operator: 'In' }] }, {}, false],
])('a selector misses its template or not: %s', (_what, selector, template, misses) => {
  expect(missesTemplate(selector, template)).toBe(misses);
});

test.each<[string, Selector | undefined, Selector | undefined, boolean, boolean]>([
  ['the same', labels({ a: 'b' }), labels({ a: 'b' }), false, false],
  ['written otherwise', { matchLabels: { a: 'b' }, matchExpressions: [] }, labels({ a: 'b' }), false, false],
  ['a first one', labels({ a: 'b' }), undefined, false, false],
  ['a first one after an empty one', labels({ a: 'b' }), {}, false, false],
  ['none any more', undefined, labels({ a: 'b' }), true, true],
  ['one label more', labels({ a: 'b', c: 'd' }), labels({ a: 'b' }), true, true],
  ['the hash more', labels({ a: 'b', [HASH]: '1' }), labels({ a: 'b' }), true, false],
  ['another hash', labels({ a: 'b', [HASH]: '2' }), labels({ a: 'b', [HASH]: '1' }), true, true],
  ['the hash less', labels({ a: 'b' }), labels({ a: 'b', [HASH]: '1' }), true, true],
  [
    'an expression more',
    { matchLabels: { a: 'b' }, matchExpressions: [{ key: HASH, operator: 'Exists' }] },
    labels({ a: 'b' }),
    true,
    true,
  ],
])('a selector changed, and changed beyond the hash: %s', (_what, now, before, changed, beyond) => {
  expect(selectorChanged(now, before)).toBe(changed);
  expect(selectorChangedBeyondHash(now, before)).toBe(beyond);
});
