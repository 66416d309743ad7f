import { expect, test } from 'bun:test';
import { namesLint } from './names.ts';
import { trial } from './trial.ts';

const lint = trial(namesLint);

test.each([
  ['schemas/common.ts', []],
  ['schemas/machine.ts', []],
  ['schemas/commonly.ts', []],
  ['webhook/common.ts', ['1: "common" in a file\'s name says nothing of what is inside']],
  ['controller/util.ts', ['1: "util" in a file\'s name says nothing of what is inside']],
  ['webhook/test-helpers.ts', ['1: "helpers" in a file\'s name says nothing of what is inside']],
  ['webhook/utils/a.ts', ['1: "utils" in a file\'s name says nothing of what is inside']],
])('the file %s', async (path, found) => {
  expect(await lint(path, '')).toEqual(found);
});

test.each([
  ['function parseHelper() {}', ['1: "helper" in the name parseHelper says nothing: name what it is or does']],
  ["const subject = { commonName: 'a' };", []],
  ["import { inspect } from 'node:util';", []],
  ['const x = cloud.common;', []],
  ['let x: any;', ['1: `any` switches the compiler off: say the type, or unknown']],
  ['const x = [] as Array<any>;', ['1: `any` switches the compiler off: say the type, or unknown']],
  ["const any = 'any'; // any", []],
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
