import { chmodSync, globSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build } from './build.ts';
import { verify } from './checksum.ts';
import type { Fetch } from './curl.ts';
import type { Platform } from './platform.ts';
import { run } from './run.ts';
import type { Download, Tool } from './table.ts';

/** What a way may need. */
export interface WayMeans {
  fetch: Fetch;
  signal?: AbortSignal | undefined;
}

/** One thing to try for getting a program. */
export interface Way {
  tool: Tool;
  /** What is done, for the progress line and for the report when it fails. */
  description: string;
  /** Puts the tool's programs into the folder. */
  make(folder: string, means: WayMeans): Promise<void>;
}

/** All ways to a program, in the order in which they are tried: every download, then every build. */
export function waysTo(program: string, tools: readonly Tool[], platform: Platform): Way[] {
  const bringers = tools.filter((tool) => tool.programs.includes(program));
  return [...bringers.flatMap((tool) => byDownload(tool, platform)), ...bringers.flatMap(byBuild)];
}

function byDownload(tool: Tool, platform: Platform): Way[] {
  const source = tool.download?.(platform);
  if (!source) return [];
  return [
    {
      tool,
      description: `downloading ${tool.name} ${tool.version}`,
      make: (folder, { fetch }) => download(source, { fetch, programs: tool.programs, folder }),
    },
  ];
}

function byBuild(tool: Tool): Way[] {
  const { build: source, programs } = tool;
  const [program] = programs;
  if (!source || program === undefined) return [];
  return [
    {
      tool,
      description: `building ${program} ${tool.version} from its Go module (takes minutes the first time)`,
      make: (folder, { signal }) => build(source, join(folder, program), signal),
    },
  ];
}

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
