import { expect, test } from 'bun:test';
import { fullname, merged } from './release.ts';

test('values are merged as helm does it', () => {
  const one = { a: { b: 1, c: [1] }, d: 1 };
  expect(merged(one, { a: { c: [2], e: null }, d: { f: 1 } })).toEqual({ a: { b: 1, c: [2], e: null }, d: { f: 1 } });
});

test.each([
  ['drover', 'drover'],
  ['my-drover', 'my-drover'],
  ['herd', 'herd-drover'],
])('the objects of release %s are named %s', (name, expected) => {
  expect(fullname({ name, namespace: 'n' })).toBe(expected);
});
