import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { isExecutable } from './given.ts';
import type { Tool } from './table.ts';

/** Where tools are kept from one run to the next: `<cache>/<tool>/<version>/<program>`. */
export const cacheFolder = (env: Record<string, string | undefined>): string =>
  join(env['XDG_CACHE_HOME'] || join(env['HOME'] || homedir(), '.cache'), 'drover');

const pathOf = (cache: string, { name, version }: Tool, program: string): string => join(cache, name, version, program);

/** The program as one of the tools already brought it. */
export const cached = (cache: string, tools: readonly Tool[], program: string): string | undefined =>
  tools.map((tool) => pathOf(cache, tool, program)).find(isExecutable);

/**
 * Lets `make` put the tool's programs into a folder of its own, and moves them to their place when it is done: what is
 * in the cache is whole. What an earlier run left half made is removed first, so only one process may do this at a time.
 */
export async function install(cache: string, tool: Tool, make: (folder: string) => Promise<void>): Promise<void> {
  const folder = join(cache, tool.name, `${tool.version}.part`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  try {
    await make(folder);
    mkdirSync(join(cache, tool.name, tool.version), { recursive: true });
    for (const program of tool.programs) renameSync(join(folder, program), pathOf(cache, tool, program));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
