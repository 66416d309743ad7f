import { describe, expect, test } from 'bun:test';
import { pick, readWords, refusal, strayPaths } from './words.ts';

test.each([
  [[], { names: [], extra: [] }],
  [['unit', 'api'], { names: ['unit', 'api'], extra: [] }],
  [['unit', '--', '-t', 'queue'], { names: ['unit'], extra: ['-t', 'queue'] }],
  [['--', '--bail'], { names: [], extra: ['--bail'] }],
])('%p', (words, asked) => {
  expect(readWords(words)).toEqual(asked);
});

test('a rung that does not exist is refused with the list', () => {
  expect(refusal(['unit'], ['static', 'unit'])).toBeUndefined();
  expect(refusal(['unit', 'e2e', '--x'], ['static', 'unit'])).toBe(
    'there is no rung "e2e", "--x"; the rungs are static, unit',
  );
});

describe('behind --', () => {
  const files = ['a/b.test.ts', 'a/bc.test.ts', 'd/e.test.ts'];

  test.each([
    [[], files, []],
    [['a/b.test.ts'], ['a/b.test.ts'], []],
    [['./a/'], ['a/b.test.ts', 'a/bc.test.ts'], []],
    [['d', 'a/b.test.ts', '--bail'], ['a/b.test.ts', 'd/e.test.ts'], ['--bail']],
    [
      ['a', '-t', 'd/e'],
      ['a/b.test.ts', 'a/bc.test.ts'],
      ['-t', 'd/e'],
    ],
    [['--timeout=5', '--seed', '7', 'd'], ['d/e.test.ts'], ['--timeout=5', '--seed', '7']],
    [['z'], [], []],
  ])('%p picks %p', (extra, picked, flags) => {
    expect(pick(files, extra)).toEqual({ files: picked, flags });
  });

  test.each([
    [[], undefined],
    [['./a/', 'd/e.test.ts', '--bail', '-t', 'not/there'], undefined],
    [['a/b'], 'a/b'],
    [['d', './not/there', '--bail', 'nor/this.test.ts'], './not/there, nor/this.test.ts'],
  ])('of %p no test is found at %p, and bun is not left to run all', (extra, stray) => {
    const sentence = strayPaths(files, extra);
    expect(sentence?.replace(/.* no test at (.*): name .*/, '$1')).toBe(stray);
  });
});
