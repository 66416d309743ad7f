import { expect, test } from 'bun:test';
import { safeEncode } from './hash.ts';

test.each([
  ['1841129019', '5d855'],
  ['0', '4'],
])('MCM Annex B, hash suffix: the first five letters of %s are %s', (hash, suffix) => {
  expect(safeEncode(hash.slice(0, 5))).toBe(suffix);
  expect(safeEncode(hash).slice(0, 5)).toBe(suffix);
});
