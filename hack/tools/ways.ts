import { join } from 'node:path';
import { build } from './build.ts';
import type { Fetch } from './curl.ts';
import { download } from './download.ts';
import type { Platform } from './platform.ts';
import type { Tool } from './table.ts';

/** What a way may need. */
export interface WayMeans {
  fetch: Fetch;
  signal?: AbortSignal | undefined;
}

/** One thing to try for getting a program. */
export interface Way {
  tool: Tool;
  /** What is done, for the progress line and for the report when it fails. */
  says: string;
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
      says: `downloading ${tool.name} ${tool.version}`,
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
      says: `building ${program} ${tool.version} from its Go module (takes minutes the first time)`,
      make: (folder, { signal }) => build(source, join(folder, program), signal),
    },
  ];
}
