import { basename, dirname, join } from 'node:path/posix';
import { importsOf } from './imports.ts';
import type { Finding, Source } from './source.ts';

/** A file this short says more beside what it serves, if that is one file. */
const FEWEST_LINES = 40;

/**
 * Finds files that nobody reads alone: short ones with one importer, in their own folder. A test of the file's own counts as none, and
 * tests are no fragments themselves.
 */
export function fragmentsLint(sources: readonly Source[]): Finding[] {
  const importers = importersOf(sources);
  return sources.flatMap(({ path, text }) => {
    const lines = text.split('\n').length - 1;
    if (lines >= FEWEST_LINES || isTest(path)) return [];
    const [only, ...others] = (importers.get(path) ?? []).filter((one) => !isItsTest(path, one));
    if (only === undefined || others.length > 0 || dirname(only) !== dirname(path)) return [];
    const message = `${lines} lines that ${basename(only)} alone imports are no file of their own: put them there, or beside what they resemble`;
    return [{ path, line: 1, message }];
  });
}

function importersOf(sources: readonly Source[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const source of sources)
    for (const path of new Set(importsOf(source).map(({ from }) => join(dirname(source.path), from))))
      found.set(path, [...(found.get(path) ?? []), source.path]);
  return found;
}

const isTest = (path: string): boolean => path.endsWith('.test.ts');

/** `a.test.ts` and `a.more.test.ts` are those of `a.ts`. */
const isItsTest = (path: string, one: string): boolean => isTest(one) && one.startsWith(path.replace(/ts$/, ''));
