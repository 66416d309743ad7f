import type { Clock } from '../clock.ts';
import type { Log } from '../observability/log.ts';

/** When a program is to end, and how. */
export interface Ending {
  /** Aborts when the program is to end in good order: it was told to, or failed where nobody reckoned with it. */
  signal: AbortSignal;
  /** Its exit code, if it ends well otherwise: 1 after such a failure. */
  codeOf(code: number): number;
}

/** A process, as far as its end is concerned. */
export interface Endable {
  once(signal: 'SIGTERM' | 'SIGINT', told: () => void): unknown;
  on(event: 'unhandledRejection' | 'uncaughtException', failed: (error: unknown) => void): unknown;
  exit(code: number): void;
}

/** For so long a program that failed may tidy up, its lease first of all, milliseconds. */
const TIDY_MS = 20_000;

/**
 * Follows what ends a program. A promise that is rejected and that nobody handles, or an exception outside of all calls, is
 * a mistake in the program: part of it has stopped, and nobody can say which. It is logged, the program lets go of what it
 * holds and ends with code 1, so that another takes over. Without this Bun would go on or stop at once, with the lease
 * held, depending on how the program was started.
 */
export function endingOf(process: Endable, { log, clock }: { log: Log; clock: Pick<Clock, 'after'> }): Ending {
  const stop = new AbortController();
  let failed = false;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stop.abort(new Error(signal)));
  const fail = (error: unknown) => {
    log.error('an error that nobody handled: the program ends', { error });
    if (!failed) clock.after(TIDY_MS, () => process.exit(1));
    failed = true;
    stop.abort(new Error('an error that nobody handled'));
  };
  process.on('unhandledRejection', fail);
  process.on('uncaughtException', fail);
  return { signal: stop.signal, codeOf: (code) => (failed ? 1 : code) };
}
