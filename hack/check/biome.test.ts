import { afterAll, beforeAll, expect, test } from 'bun:test';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/**
 * What Biome finds by the project's own biome.json, in place of lints that were ours: each rule has a small file that breaks it,
 * and one beside it that does not.
 */

const ROOT = join(import.meta.dir, '../..');
const lines = (count: number) => 'x();\n'.repeat(count);
const deep = (inner: string) =>
  `/** Deep. */\nexport function f(a: boolean): void {\nif (a) {\nfor (;;) {\nif (a) {\n${inner}\n}\n}\n}\n}\n`;

/** Path, text, and the rules that it breaks. */
const rows: ReadonlyArray<readonly [path: string, text: string, rules: readonly string[]]> = [
  ['schemas/function40.ts', `function f() {\n${lines(38)}}\n`, []],
  ['schemas/function41.ts', `function f() {\n${lines(39)}}\n`, ['noExcessiveLinesPerFunction']],
  ['schemas/arrow41.ts', `const f = () => {\n${lines(39)}};\n`, ['noExcessiveLinesPerFunction']],
  ['webhook/method41.ts', `class A {\n  f() {\n${lines(39)}}\n}\n`, ['noExcessiveLinesPerFunction']],
  ['webhook/longclass.ts', `class A {\n${'f() {}\n'.repeat(50)}}\n`, []],
  ['schemas/suite.test.ts', `describe('a', () => {\n${lines(50)}});\n`, []],
  ['schemas/file300.ts', lines(300), []],
  ['schemas/file301.ts', lines(301), ['noExcessiveLinesPerFile']],
  ['test/api/file301.test.ts', lines(301), ['noExcessiveLinesPerFile']],
  ['schemas/three.ts', 'const f = (a, b, c) => a;\n', []],
  ['schemas/four.ts', 'const f = (a, b, c, d) => a;\n', ['useMaxParams']],
  ['controller/constructor.ts', 'class A { constructor(a, b, c, d) {} }\n', ['useMaxParams']],
  ['schemas/columns.test.ts', "test.each([])('a', (a, b, c, d, e) => {});\n", []],
  ['hack/three.ts', deep('x();'), []],
  ['hack/nested.ts', deep('while (a) x();'), ['noExcessiveNestedBlocks']],
  ['test/nested.ts', deep('try { x(); } catch {}'), ['noExcessiveNestedBlocks']],
  ['hack/begun.ts', deep('g(() => { if (a) x(); });'), []],
  ['hack/elseif.ts', 'if (a) {} else if (b) {} else if (c) {} else if (d) {} else if (e) {}\n', []],
  ['schemas/any.ts', 'let x: any;\n', ['noExplicitAny']],
  ['test/anys.ts', 'const x = [] as Array<any>;\n', ['noExplicitAny']],
  ['schemas/default.ts', 'export default 1;\n', ['noDefaultExport']],
  ['hack/named.ts', 'const a = 1;\nexport { a as default };\n', ['noDefaultExport']],
  ['schemas/barrel.ts', "export { a } from './three.ts';\n", ['noBarrelFile']],
  ['schemas/whole.ts', "export * from './three.ts';\n", ['noBarrelFile']],
  ['schemas/ending.ts', "import { a } from './three';\n", ['useImportExtensions']],
  ['hack/lazy.ts', "const a = await import('./three');\n", ['useImportExtensions']],
  ['schemas/circle.ts', "import { b } from './round.ts';\nexport const a = b;\n", ['noImportCycles']],
  ['schemas/round.ts', "import { a } from './circle.ts';\nexport const b = a;\n", ['noImportCycles']],
  ['webhook/types.ts', "import type { B } from './shapes.ts';\nexport type A = B;\n", ['noImportCycles']],
  ['webhook/shapes.ts', "import type { A } from './types.ts';\nexport type B = A;\n", ['noImportCycles']],
  ['test/types.ts', "import type { B } from './shapes.ts';\nexport type A = B;\n", []],
  ['test/shapes.ts', "import type { A } from './types.ts';\nexport type B = A;\n", []],
];

/** Rules that took the place of our own lints. */
const REPLACING = new Set(rows.flatMap(([, , rules]) => rules));

let folder: string;
const found = new Map<string, string[]>();

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'biome-'));
  const { vcs: _, ...settings } = await Bun.file(join(ROOT, 'biome.json')).json();
  writeFileSync(join(folder, 'biome.json'), JSON.stringify(settings));
  cpSync(join(ROOT, 'package.json'), join(folder, 'package.json'));
  for (const [path, text] of rows) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const biome = [process.execPath, join(ROOT, 'node_modules/@biomejs/biome/bin/biome')];
  const child = Bun.spawn([...biome, 'lint', '--reporter=json', '--max-diagnostics=none', '.'], {
    cwd: folder,
    stdout: 'pipe',
    stderr: 'ignore',
  });
  const { diagnostics } = (await new Response(child.stdout).json()) as { diagnostics: Diagnostic[] };
  for (const { category, location } of diagnostics) {
    const path = location.path.replaceAll('\\', '/');
    found.set(path, [...(found.get(path) ?? []), category.split('/').at(-1) ?? '']);
  }
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true }));

interface Diagnostic {
  category: string;
  location: { path: string };
}

test.each(rows)('%s', (path, _text, rules) => {
  expect((found.get(path) ?? []).filter((rule) => REPLACING.has(rule))).toEqual([...rules]);
});
