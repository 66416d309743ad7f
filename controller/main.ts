import { enter } from './runtime/entry.ts';

/** The controller from its sources; `drover controller` is the same program, compiled. */
enter(async (given) => (await import('./run.ts')).runController(given, 'bun controller/main.ts'));
