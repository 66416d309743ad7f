import { afterAll, expect, test } from 'bun:test';
import { fragmentsLint } from './fragments.ts';
import { Parser, type Texts } from './source.ts';

const parser = new Parser();
afterAll(() => parser.close());

const importing = "import { a } from './a.ts';\n";
const found = [
  '1 lines that b.ts alone imports are no file of their own: put them there, or beside what they resemble',
];
const short = { 'schemas/a.ts': 'export const a = 1;\n', 'schemas/b.ts': importing };

const rows: Array<[string, Texts, string[]]> = [
  ['one that a neighbour alone imports', short, found],
  [
    'it though its own tests do so too',
    { ...short, 'schemas/a.test.ts': importing, 'schemas/a.b.test.ts': importing },
    found,
  ],
  ['it though that is when it is needed', { ...short, 'schemas/b.ts': "await import('./a.ts');\n" }, found],
  ['none that another test imports', { ...short, 'schemas/c.test.ts': importing }, []],
  ['none that two import', { ...short, 'schemas/c.ts': importing }, []],
  ['none that nobody imports', { 'schemas/a.ts': 'export const a = 1;\n' }, []],
  [
    'none that another folder imports',
    { 'schemas/a.ts': '\n', 'hack/b.ts': "import { a } from '../schemas/a.ts';\n" },
    [],
  ],
  ['none of 40 lines', { ...short, 'schemas/a.ts': 'export const a = 1;\n'.repeat(40) }, []],
  ['no test', { 'schemas/a.test.ts': '\n', 'schemas/b.ts': "import './a.test.ts';\n" }, []],
];

test.each(rows)('of short files the lint finds %s', async (_what, texts, message) => {
  expect(fragmentsLint(await parser.parse(texts)).map((finding) => finding.message)).toEqual(message);
});
