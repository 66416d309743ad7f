import { expect, test } from 'bun:test';
import { keyOf, PACKAGES } from './recipe.ts';

test('the key of a node image names the version, and is the same each time', () => {
  expect(keyOf('1.36.2')).toMatch(/^v1\.36\.2-[0-9a-f]{12}$/);
  expect(keyOf('1.36.2')).toBe(keyOf('1.36.2'));
});

test('another version of Kubernetes makes another image', () => {
  expect(keyOf('1.35.4').split('-')[1]).not.toBe(keyOf('1.36.2').split('-')[1]);
});

test('no package is named twice', () => expect(new Set(PACKAGES).size).toBe(PACKAGES.length));
