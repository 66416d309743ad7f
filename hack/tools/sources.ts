import { join } from 'node:path';
import { GO_ENVIRONMENT } from './build.ts';
import { run } from './run.ts';
import { toolsOf } from './table.ts';

/**
 * Folder with the sources of the Go module that a program of the table is built from, at the version and checksum that are
 * pinned here. Go gets them if need be; they cannot be written to. Throws when there is no Go, or no way to get them.
 */
export async function sourcesOf(program: string): Promise<string> {
  const build = toolsOf().find((tool) => tool.build && tool.programs.includes(program))?.build;
  if (!build) throw new Error(`hack/tools/table.ts does not say from which Go module ${program} is built`);
  const command = ['go', 'list', '-find', '-f', '{{.Module.Dir}}', build.main];
  return (await run(command, { cwd: join(import.meta.dir, build.module), env: GO_ENVIRONMENT })).trim();
}
