import { expect, test } from 'bun:test';
import { citationsLint } from './citations.ts';

const page = { path: 'hack/sources.md', text: '| number | is about |\n|---|---|\n| MCM 6.4 | creation |' };
const citing = (text: string, path = 'controller/a.ts') => ({ path, text });
const made = citing('// (MCM 6.4, step 4)');

test.each([
  ['explained', [page, made], []],
  [
    'not explained',
    [page, made, citing('\n/** Why (VMOP 2.8). */')],
    ['controller/a.ts:2: hack/sources.md does not say what "VMOP 2.8" is: add a row'],
  ],
  [
    'a part of one that is',
    [page, made, citing('// MCM 6.4b', 'hack/decisions/0001-a.md')],
    ['hack/decisions/0001-a.md:1: hack/sources.md does not say what "MCM 6.4b" is: add a row'],
  ],
  ['a version', [page, made, citing('MCM 0.60 itself', 'CHANGELOG.md')], []],
  [
    'one of several',
    [page, citing('// MCM 6.4, 6.7 and 9.3')],
    ['MCM 6.7', 'MCM 9.3'].map(
      (number) => `controller/a.ts:1: hack/sources.md does not say what "${number}" is: add a row`,
    ),
  ],
  ['explained in vain', [page], ['hack/sources.md:3: nothing cites "MCM 6.4": take its row out']],
])('a source that is %s', (_what, files, says) => {
  expect(citationsLint(files).map((one) => `${one.path}:${one.line}: ${one.says}`)).toEqual(says);
});
