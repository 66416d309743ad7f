import { availableParallelism } from 'node:os';

/** What is measured runs on one core and what asks it on another, so that neither takes time from the other. */
export const CORES = { measured: 0, asking: 1 } as const;

/** Whether processes can be kept on one core here: util-linux brings the program for that. */
export const canPin = Bun.which('taskset') !== null && availableParallelism() > 1;

/** The command that runs another one on a core alone; the same command where that is not possible. */
export const pinned = (core: number, command: readonly string[]): string[] =>
  canPin ? ['taskset', '--cpu-list', String(core), ...command] : [...command];
