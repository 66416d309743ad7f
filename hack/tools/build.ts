import { join } from 'node:path';
import { run } from './run.ts';
import type { Build } from './table.ts';

/** Whatever the user's own Go settings are, the same sources give the same program. */
export const GO_ENVIRONMENT = {
  CGO_ENABLED: '0',
  GOFLAGS: '-trimpath -buildvcs=false -mod=readonly',
  GOTOOLCHAIN: 'local',
  GOWORK: 'off',
};

/** Builds a program at the versions and checksums of its go.mod and go.sum; `output` is the path of the result. */
export async function build(
  { module, main, variables = {} }: Build,
  output: string,
  signal?: AbortSignal,
): Promise<void> {
  const linked = Object.entries(variables).map(([name, value]) => `-X ${name}=${value}`);
  await run(['go', 'build', '-ldflags', ['-s', '-w', ...linked].join(' '), '-o', output, main], {
    cwd: join(import.meta.dir, module),
    env: GO_ENVIRONMENT,
    signal,
  });
}
