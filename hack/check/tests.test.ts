import { describe, expect, test } from 'bun:test';
import { testsLint } from './tests.ts';
import { trial } from './trial.ts';

const lint = trial(testsLint);
const lines = (count: number) => 'x();\n'.repeat(count);

describe('length', () => {
  test.each([
    ['of 40 lines', `test('a', () => {\n${lines(38)}});`, []],
    [
      'of 41 lines',
      `test('a', () => {\n${lines(39)}});`,
      ['1: the function has 41 lines, at most 40 are readable: split it'],
    ],
    ['after a long comment', `/**\n${' * x\n'.repeat(50)} */\nfunction f() {\n}`, []],
    ['with a table', `function rows() {\nreturn [\n${'[1],\n'.repeat(50)}];\n}`, []],
    ['that is a suite', `describe('a', () => {\n${lines(50)}});`, []],
    ['that is a suite of rows', `describe.each([1])('a', () => {\n${lines(50)}});`, []],
    ['that holds tests', `function suite() {\n${"test('a', () => {});\n".repeat(50)}}`, []],
  ])('of a function %s', async (_what, text, found) => {
    expect(await lint('schemas/a.test.ts', text)).toEqual(found);
    expect(await lint('test/conformance/a.ts', text)).toEqual(found);
    expect(await lint('schemas/a.ts', text)).toEqual([]);
  });
});

const tooMany = (line: number) => [`${line}: 4 parameters are more than 3: take one object`];

test.each([
  ['const f = (a: 1, b: 2, c: 3) => a;', []],
  ['const f = (a: 1, b: 2, c: 3, d: 4) => a;', tooMany(1)],
  ['class A {\n  constructor(a, b, c, d) {}\n}', tooMany(2)],
  ['interface A {\n  f(a, b, c, d): void;\n}', tooMany(2)],
  ['f(1, 2, 3, 4);', []],
  ["test.each([])('a', (a, b, c, d, e) => {});", []],
])('%p', async (text, found) => {
  expect(await lint('schemas/a.test.ts', text)).toEqual(found);
});

test.each([
  ["test.only('a', () => {});", ['1: test.only leaves tests out: each test runs, always']],
  ["describe.skip('a', () => {});", ['1: describe.skip leaves tests out: each test runs, always']],
  ["\ntest.todo('a');", ['2: test.todo leaves tests out: each test runs, always']],
  ["test.skip.each([])('a', () => {});", ['1: test.skip leaves tests out: each test runs, always']],
  ['list.skip(3);', []],
])('%p', async (text, found) => {
  expect(await lint('schemas/machine.ts', text)).toEqual(found);
});

// What a machine may lack, and where.
test.each([
  ['test/api/a.test.ts', "describe.skipIf(!canBuildGo)('a', () => {});", []],
  ['test/chart/a.test.ts', "describe.skipIf(!canContain)('a', () => {});", []],
  ['webhook/a.test.ts', "describe.skipIf(!canBuildGo)('a', () => {});", ['describe.skipIf']],
  ['test/api/a.test.ts', "test.skipIf(isSlow)('a', () => {});", ['test.skipIf']],
  ['test/api/a.test.ts', "test.if(canBuildGo)('a', () => {});", ['test.if']],
])('in %s, %p', async (path, text, found) => {
  expect(await lint(path, text)).toEqual(found.map((name) => `1: ${name} leaves tests out: each test runs, always`));
});
