import { enter } from './runtime/program/program.ts';

/** The controller from its sources; `drover controller` is the same program, compiled. */
enter(async (given) => (await import('./run.ts')).runController(given, 'bun controller/main.ts'));
