import type { Clock } from '../clock.ts';
import { createLog, type Level, type Log } from '../observability/log.ts';

/** What a program is given, and what becomes its exit code. */
type Program = (given: {
  args: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
}) => Promise<number>;

/** A process, as far as it is to be started anew. */
export interface Startable {
  env: Readonly<Record<string, string | undefined>>;
  execPath: string;
  execArgv: readonly string[];
  argv: readonly string[];
  execve?(file: string, args: readonly string[], env: Record<string, string>): never;
}

/** The variable by which Bun, as it starts, is told how many requests may be open at once, and what programs set it to. */
export const OPEN_REQUESTS = { variable: 'BUN_CONFIG_MAX_HTTP_REQUESTS', value: '4096' } as const;

/**
 * Runs a program from the command line to its end, in the same way from sources and compiled, and exits with its code. No
 * await at the top is needed for it, for bytecode cannot hold one.
 */
export function enter(program: Program): void {
  makeRoom(process as Startable);
  program({ args: Bun.argv.slice(2), env: process.env }).then((code) => process.exit(code), cannotStart);
}

/**
 * Unless the environment says how many requests may be open at once, starts the same process anew with room for them: Bun's
 * 256 are shared by all, a lease's included, and each further request waits without a word. Bun reads the variable only
 * as it starts. The process stays the same, with its id and its parent, so nobody has to pass on signals or the exit code.
 * Returns where that cannot be done; programs say so in their log.
 */
export function makeRoom({ env, execPath, execArgv, argv, execve }: Startable): void {
  const { variable, value } = OPEN_REQUESTS;
  if (env[variable] !== undefined || !execve) return;
  // A compiled program has its sources in itself: the path to them is none of its arguments.
  const isCompiled = argv[1]?.startsWith('/$bunfs/') === true;
  const words = isCompiled ? argv.slice(2) : [...execArgv, ...argv.slice(1)];
  const given = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  try {
    execve(execPath, [execPath, ...words], { ...Object.fromEntries(given), [variable]: value });
  } catch {}
}

/** Says that there is no such room, for whoever starts a program otherwise. */
export function warnOfFewRequests({ [OPEN_REQUESTS.variable]: limit }: Startable['env'], log: Pick<Log, 'warn'>): void {
  const { variable, value } = OPEN_REQUESTS;
  if (limit === undefined)
    log.warn(`only 256 requests may be open at once: set ${variable}=${value} in the environment`);
}

/** What a command line asks for (schemas/config/commandline.ts): to work, or to print a text and end. */
type Command<T> =
  | { run: true; settings: T; warnings: readonly string[] }
  | { run: false; text: string; exitCode: number };

/** Does that, and returns the exit code; one that fails says so in its log. @param name the program, in sentences */
export async function obey<T extends { logLevel: Level }>(
  command: Command<T>,
  { env, clock, name }: Pick<Startable, 'env'> & { clock: Clock; name: string },
  main: (settings: T, log: Log) => Promise<number>,
): Promise<number> {
  if (!command.run) {
    process[command.exitCode === 0 ? 'stdout' : 'stderr'].write(`${command.text}\n`);
    return command.exitCode;
  }
  const log = createLog({ clock, level: command.settings.logLevel });
  for (const warning of command.warnings) log.warn(warning);
  warnOfFewRequests(env, log);
  try {
    return await main(command.settings, log);
  } catch (error) {
    log.error(`the ${name} failed`, { error });
    return 1;
  }
}

function cannotStart(error: unknown): never {
  process.stderr.write(`drover cannot start: ${Bun.inspect(error)}\n`);
  process.exit(1);
}

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
