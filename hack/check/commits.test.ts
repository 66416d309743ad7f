import { expect, test } from 'bun:test';
import { commitsLint } from './commits.ts';

test.each([
  ['nothing', '', []],
  ['short subjects', 'a1b2c3d fix: a\nb2c3d4e docs: b\n', []],
  ['one of 72 characters', `a1b2c3d ${'x'.repeat(72)}`, []],
  ['one of 72 signs of several bytes', `a1b2c3d ${'ü'.repeat(72)}`, []],
  [
    'one of 73 characters',
    `a1b2c3d fix: a\nb2c3d4e fix: ${'x'.repeat(68)}`,
    ['commit b2c3d4e:1: the subject has 73 characters, at most 72 can be read in a list: say the rest in the body'],
  ],
])('a log with %s', (_what, log, message) => {
  expect(commitsLint(log).map((one) => `${one.path}:${one.line}: ${one.message}`)).toEqual(message);
});
