import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { crds } from './generate/crds.ts';
import type { Generated, Producer } from './generate/generated.ts';
import { rbac } from './generate/rbac.ts';
import { reference } from './generate/reference.ts';
import { settings } from './generate/settings.ts';

/** `bun run generate` writes every generated file; with `--check` it shows what differs and fails instead. */

const root = join(import.meta.dir, '..');

/** Who generates what; a new kind of file gets a line here. */
const producers: readonly Producer[] = [crds, reference, rbac, settings];

/** Nothing but generated files lies in here: what no producer makes any more is removed. */
const wholly = 'charts/drover/files';

if (import.meta.main) process.exit(await (process.argv.includes('--check') ? check() : write()));

async function write(): Promise<number> {
  const files = producers.flatMap((produce) => produce());
  for (const path of leftovers(files)) rmSync(join(root, path));
  for (const { path, content } of files) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    await Bun.write(join(root, path), content);
  }
  console.log(`wrote ${files.length} files`);
  return 0;
}

async function check(): Promise<number> {
  const files = producers.flatMap((produce) => produce());
  const stale = [...leftovers(files).map((path) => ({ path, content: '' })), ...files];
  const differences = (await Promise.all(stale.map(difference))).filter((text) => text !== '');
  if (differences.length === 0) return 0;
  console.error(`${differences.join('\n')}\ngenerated files are out of date: run \`bun run generate\``);
  return 1;
}

/** Files in the wholly generated folder that no producer makes. */
function leftovers(files: readonly Generated[]): string[] {
  if (!existsSync(join(root, wholly))) return [];
  const made = new Set(files.map(({ path }) => path));
  return readdirSync(join(root, wholly), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .filter((path) => !made.has(path));
}

/** What would change in a file, as git shows it; empty when nothing would. */
async function difference({ path, content }: Generated): Promise<string> {
  const present = existsSync(join(root, path));
  if (present && (await Bun.file(join(root, path)).text()) === content) return '';
  const git = Bun.spawn(['git', 'diff', '--no-index', '--no-color', '--', present ? path : '/dev/null', '-'], {
    cwd: root,
    stdin: new Blob([content]),
    stdout: 'pipe',
  });
  return `${path} is out of date:\n${await new Response(git.stdout).text()}`;
}
