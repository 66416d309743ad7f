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
])('%p', async (text, found) => {
  expect(await lint('schemas/machine.ts', text)).toEqual(found);
});
