import { enter } from '../../controller/runtime/program/program.ts';
import { readDrover } from './dispatch.ts';

/** `drover`: the entry point of the image, compiled with all programs in it (`./hack/image`). */
enter(async ({ args, env }) => {
  const asked = readDrover(args);
  if (asked.do === 'run') return asked.run({ args: asked.args, env }, `drover ${asked.command}`);
  process[asked.exitCode === 0 ? 'stdout' : 'stderr'].write(`${asked.text}\n`);
  return asked.exitCode;
});
