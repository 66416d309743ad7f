import { expect, test } from 'bun:test';
import { existsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { anchorsOf, linksOf } from './links.ts';

const ROOT = join(import.meta.dir, '../..');

const pages = [...new Bun.Glob('**/*.md').scanSync({ cwd: ROOT, dot: false })]
  .filter((path) => !path.includes('node_modules/'))
  .sort();

const read = (path: string): Promise<string> => Bun.file(path).text();

/** What is wrong with the links of a page. */
async function broken(path: string): Promise<string[]> {
  const page = await read(join(ROOT, path));
  const findings = linksOf(page).map(async (link) => {
    const target = link.path === '' ? join(ROOT, path) : resolve(join(ROOT, dirname(path)), link.path);
    if (!existsSync(target)) return `${link.text}: there is no such file`;
    if (link.anchor === '' || statSync(target).isDirectory()) return undefined;
    return anchorsOf(await read(target)).has(link.anchor) ? undefined : `${link.text}: there is no such heading`;
  });
  return (await Promise.all(findings)).filter((finding) => finding !== undefined);
}

test.each(pages)('every link of %s leads somewhere', async (path) => {
  expect(await broken(path)).toEqual([]);
});

// hack/decisions/0051 U9
test('who finds a weakness reads where to report it in private, on the page that GitHub shows', async () => {
  expect(await read(join(ROOT, 'SECURITY.md'))).toContain('*Report a vulnerability* under the *Security* tab');
});

test('headings are linked as GitHub links them', () => {
  const page = '# What it promises, and where\n## `code` & more\n```\n# none\n```\n## Twice\n## Twice\n';
  expect([...anchorsOf(page)]).toEqual(['what-it-promises-and-where', 'code--more', 'twice', 'twice-1']);
});

test('links in code and to the web are not looked at', () => {
  expect(linksOf('[a](b.md#c) [w](https://example.com) `[x](y)`\n```\n[z](z)\n```\n')).toEqual([
    { text: 'b.md#c', path: 'b.md', anchor: 'c' },
  ]);
});
