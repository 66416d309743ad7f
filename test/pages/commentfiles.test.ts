import { expect, test } from 'bun:test';
import { join } from 'node:path';

// hack/decisions/0051 U54

const ROOT = join(import.meta.dir, '../..');
const there = [...new Bun.Glob('{controller,webhook,schemas,hack,test}/**/*.ts').scanSync(ROOT)];
const sources = there.filter((path) => /^(controller|webhook|schemas)\//.test(path) && !path.endsWith('.test.ts'));

/** Files that a comment names, without links to pages of others. */
async function namedIn(path: string): Promise<string[]> {
  const lines = (await Bun.file(join(ROOT, path)).text()).split('\n');
  const comments = lines.filter((line) => /^\s*(\/\*\*|\*|\/\/)/.test(line));
  const file = /(?<![\w./-])((?:[\w.-]+\/)*[\w-][\w.-]*\.ts)\b/g;
  return comments.flatMap((line) => [...line.matchAll(file)].map(([, name = '']) => name));
}

test('the files that comments name are there', async () => {
  const astray: string[] = [];
  for (const path of sources)
    for (const file of await namedIn(path)) {
      const isThere = file.startsWith('../')
        ? there.includes(join(path, '..', file))
        : there.some((one) => one === file || one.endsWith(`/${file}`));
      if (!isThere) astray.push(`${path}: ${file}`);
    }
  expect(astray).toEqual([]);
});
