import type { Given } from '../../schemas/config.ts';
import { readDrover } from './dispatch.ts';

/** `drover`: the entry point of the image, compiled with all programs in it (`./hack/image`). */
async function drover({ args, env }: Given): Promise<number> {
  const asked = readDrover(args);
  if (asked.do === 'run') return asked.run({ args: asked.args, env }, `drover ${asked.command}`);
  process[asked.exitCode === 0 ? 'stdout' : 'stderr'].write(`${asked.text}\n`);
  return asked.exitCode;
}

function fail(error: unknown): never {
  process.stderr.write(`drover cannot start: ${Bun.inspect(error)}\n`);
  process.exit(1);
}

// No await at the top, for bytecode cannot hold one.
drover({ args: Bun.argv.slice(2), env: process.env }).then((code) => process.exit(code), fail);
