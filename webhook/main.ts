import { enter } from '../controller/runtime/program/program.ts';

/** The webhook from its sources; `drover webhook` is the same program, compiled. */
enter(async (given) => (await import('./run.ts')).runWebhook(given, 'bun webhook/main.ts'));
