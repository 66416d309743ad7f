import { runController } from './run.ts';

/** The controller from its sources; `drover controller` is the same program, compiled. */
process.exit(await runController({ args: Bun.argv.slice(2), env: process.env }, 'bun controller/main.ts'));
