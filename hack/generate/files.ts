import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Generated } from './generated.ts';

/** Where generated files belong. */
export interface Place {
  /** The project's root. */
  root: string;
  /** Folder under the root in which nothing but generated files lies. */
  wholly: string;
}

/** Writes the files; what nobody makes any more goes from the wholly generated folder. */
export async function writeFiles({ root, wholly }: Place, files: readonly Generated[]): Promise<void> {
  for (const path of leftovers({ root, wholly }, files)) rmSync(join(root, path));
  for (const { path, content } of files) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    await Bun.write(join(root, path), content);
  }
}

/** What writing the files would change, as git shows it, file by file; empty when nothing would. */
export async function differences(place: Place, files: readonly Generated[]): Promise<string[]> {
  const gone = leftovers(place, files).map((path) => ({ path, content: '' }));
  const texts = await Promise.all([...gone, ...files].map((file) => difference(place.root, file)));
  return texts.filter((text) => text !== '');
}

function leftovers({ root, wholly }: Place, files: readonly Generated[]): string[] {
  if (!existsSync(join(root, wholly))) return [];
  const made = new Set(files.map(({ path }) => path));
  return readdirSync(join(root, wholly), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .filter((path) => !made.has(path));
}

async function difference(root: string, { path, content }: Generated): Promise<string> {
  const present = existsSync(join(root, path));
  if (present && (await Bun.file(join(root, path)).text()) === content) return '';
  const git = Bun.spawn(['git', 'diff', '--no-index', '--no-color', '--', present ? path : '/dev/null', '-'], {
    cwd: root,
    stdin: new Blob([content]),
    stdout: 'pipe',
  });
  return `${path} is out of date:\n${await git.stdout.text()}`;
}
