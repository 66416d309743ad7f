import { runWebhook } from './run.ts';

/** The webhook from its sources; `drover webhook` is the same program, compiled. */
process.exit(await runWebhook({ args: Bun.argv.slice(2), env: process.env }, 'bun webhook/main.ts'));
