import { chmodSync, globSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { verify } from './checksum.ts';
import type { Fetch } from './curl.ts';
import { run } from './run.ts';
import type { Download } from './table.ts';

/** Downloads what the checksum published for it confirms, and puts the programs wanted into the folder. */
export async function download(
  { checksums, asset, archive }: Download,
  { fetch, programs, folder }: { fetch: Fetch; programs: readonly string[]; folder: string },
): Promise<void> {
  const found = asset(await fetch(checksums));
  if (!found) throw new Error(`${checksums} has no such version for this platform`);
  const file = join(folder, '.download');
  await fetch(found.url, file);
  await verify(file, found);
  const paths = archive ? await unpack(file, programs) : [file];
  for (const [index, program] of programs.entries()) place(paths[index], join(folder, program));
}

/** Unpacks an archive beside itself and finds the programs in it, at whatever depth. macOS's tar reads zip files as well. */
async function unpack(archive: string, programs: readonly string[]): Promise<Array<string | undefined>> {
  const folder = `${archive}.unpacked`;
  mkdirSync(folder);
  await run(['tar', '-xf', archive, '-C', folder]);
  const files = globSync('**', { cwd: folder }).map((file) => join(folder, file));
  return programs.map((program) => files.find((file) => basename(file) === program && statSync(file).isFile()));
}

function place(file: string | undefined, program: string): void {
  if (file === undefined) throw new Error(`the archive holds no ${basename(program)}`);
  chmodSync(file, 0o755);
  renameSync(file, program);
}
