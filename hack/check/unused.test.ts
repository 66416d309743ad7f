import { afterAll, expect, test } from 'bun:test';
import { Parser, type Texts } from './source.ts';
import { unusedLint } from './unused.ts';

const parser = new Parser();
afterAll(() => parser.close());

const tested = 'only tests use a: remove it, or move it to a *.fixture.ts';
const unused = 'nobody uses a: remove it';
const declared = { 'schemas/a.ts': 'export const a = 1;' };

const rows: Array<[string, Texts, string[]]> = [
  ['what nobody imports', declared, [unused]],
  ['a type that nobody imports', { 'schemas/a.ts': 'export type a = 1;' }, [unused]],
  ['a function that its test calls', { ...declared, 'schemas/a.test.ts': "import { a } from './a.ts';" }, [tested]],
  ['what a file of test/ calls', { ...declared, 'test/b.ts': "import { a } from '../schemas/a.ts';" }, [tested]],
  ['what a fixture calls', { ...declared, 'schemas/b.fixture.ts': "import { a } from './a.ts';" }, [tested]],
  ['another name of the file', { ...declared, 'schemas/b.ts': "import { b } from './a.ts';" }, [unused]],
  ['the same name of another file', { ...declared, 'schemas/b.ts': "import { a } from '../webhook/a.ts';" }, [unused]],
  ['one part of a pattern', { 'schemas/a.ts': 'export const { b: a } = { b: 1 };' }, [unused]],
  ['not what a program imports', { ...declared, 'webhook/b.ts': "import { a } from '../schemas/a.ts';" }, []],
  [
    'not what it imports by another name',
    { ...declared, 'hack/b.ts': "import { a as b } from '../schemas/a.ts';" },
    [],
  ],
  ['not the type of an import', { ...declared, 'schemas/b.ts': "import type { a } from './a.ts';" }, []],
  ['not what is imported whole', { ...declared, 'schemas/b.ts': "import * as all from './a.ts';" }, []],
  ['not what is imported when needed', { ...declared, 'schemas/b.ts': "await import('./a.ts');" }, []],
  ['not what its own file uses', { 'schemas/a.ts': 'export const a = 1;\nconsole.log(a);' }, []],
  ['not what stands in a fixture', { 'schemas/a.fixture.ts': 'export const a = 1;' }, []],
  ['not what stands beside the programs', { 'hack/a.ts': 'export const a = 1;' }, []],
];

test.each(rows)('the lint of exports that no program uses finds %s', async (_what, texts, message) => {
  expect(unusedLint(await parser.parse(texts)).map((finding) => finding.message)).toEqual(message);
});
