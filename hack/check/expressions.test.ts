import { afterAll, expect, test } from 'bun:test';
import { slug } from 'valibot';
import { expressionsIn, patternsIn } from './expressions.ts';
import { Parser } from './source.ts';

// hack/decisions/0028 W1

const parser = new Parser();
afterAll(() => parser.close());

async function found(text: string, path = 'webhook/admission/review.ts'): Promise<string[]> {
  const sources = await parser.parse({ [path]: text });
  return sources
    .flatMap(expressionsIn)
    .map((one) => ('message' in one ? one.message : `${one.line}: /${one.source}/${one.flags}`));
}

const UNKNOWN = 'the expression is made of what is not constant in this file: nobody can tell how long it takes';

test.each([
  ['const x = /a+/;', ['1: /a+/']],
  ['\nf(text.split(/,\\//gy));', ['2: /,\\//gy']],
  ['const x = [/a/, /b/i];', ['1: /a/', '1: /b/i']],
  ["const x = new RegExp('a+', 'g');", ['1: /a+/g']],
  ["const x = RegExp('\\\\d');", ['1: /\\d/']],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the program under test
  ["const A = 'a'; const B = `${A}b`; const x = new RegExp(`^${B}$`);", ['1: /^ab$/']],
  ['const x = (given: string) => new RegExp(given);', [UNKNOWN]],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the program under test
  ["import { A } from './a.ts'; const x = new RegExp(`^${A}$`);", [UNKNOWN]],
  ["const x = new RegExp('a', flags);", [UNKNOWN]],
  ['const x = v.pipe(v.string(), v.digits());', ['1: /^\\d+$/u']],
  ["const x = v.slug('must be one');", [`1: /${slug().requirement.source}/${slug().requirement.flags}`]],
  ["const text = '/a+/'; // /b+/", []],
])('in %p', async (text, expressions) => {
  expect(await found(text)).toEqual(expressions);
});

test.each([
  ['schemas/duration.ts', 1],
  ['controller/drain/order.ts', 1],
  ['webhook/review.test.ts', 0],
  ['hack/commands/up.ts', 0],
])('in %s it looks for %p', async (path, count) => {
  expect(await found('const x = /a/;', path)).toHaveLength(count);
});

test('patterns of CRDs and of drivers are found, those of other files are not', () => {
  const crd = 'spec:\n  a:\n    pattern: ^a+$\n  b:\n    - patternProperties:\n        ^x-: {pattern: =b}\n';
  const path = 'charts/drover/files/crds/machines.yaml';
  expect(patternsIn({ path, text: crd })).toEqual([
    { path, line: 3, source: '^a+$', flags: 'u' },
    { path, line: 6, source: '^x-', flags: 'u' },
    { path, line: 6, source: '=b', flags: 'u' },
  ]);
  const schema = 'schemas/providers/virtual.schema.json';
  expect(patternsIn({ path: schema, text: '{"properties": {"a": {"pattern": "^a$"}}}' })).toHaveLength(1);
  expect(patternsIn({ path: 'charts/drover/values.schema.json', text: '{"pattern": "a"}' })).toEqual([]);
});
