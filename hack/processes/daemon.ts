import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../until.ts';
import { markOf } from './mark.ts';

/** Where processes that outlive their starter are kept track of: a pid file and a log for each, by name. */
export interface Folders {
  run: string;
  log: string;
}

/** A program to start; its name is that of its pid file and log. */
export interface Program {
  name: string;
  command: readonly string[];
  cwd?: string;
  env?: Record<string, string>;
  /** Of an open file of this process, which the program gets as its descriptor 3. */
  descriptor?: number;
}

const pidFile = (folders: Folders, name: string): string => join(folders.run, `${name}.pid`);

/** Path of a program's log. */
export const logFile = (folders: Folders, name: string): string => join(folders.log, `${name}.log`);

/** Starts what follows the path of a log in the background, its output appended to that, and says the pid. */
const START = 'log=$1; shift; "$@" >>"$log" 2>&1 </dev/null & echo $!';

/**
 * Starts a program in a session of its own, so that it outlives this process, its terminal and a Ctrl-C there; and as no
 * child of this process, for when a test runs out of time, bun kills every child there is. Its output is appended to its
 * log. The pid file holds the pid and, on a second line, its mark.
 */
export function start(folders: Folders, { name, command, cwd, env, descriptor }: Program): void {
  mkdirSync(folders.run, { recursive: true });
  mkdirSync(folders.log, { recursive: true });
  const { stdout } = Bun.spawnSync(['sh', '-c', START, 'sh', logFile(folders, name), ...command], {
    detached: true,
    env: { ...process.env, ...env },
    ...(cwd === undefined ? {} : { cwd }),
    stdio: ['ignore', 'pipe', 'inherit', ...(descriptor === undefined ? [] : [descriptor])],
  });
  const pid = Number(stdout.toString());
  writeFileSync(pidFile(folders, name), `${pid}\n${markOf(pid) ?? ''}\n`);
}

/** The pid under which `name` runs; undefined when it does not run, also when another process got its pid since. */
export function find(folders: Folders, name: string): number | undefined {
  const [pid, mark] = readPidFile(folders, name);
  return mark && markOf(Number(pid)) === mark ? Number(pid) : undefined;
}

/** Names of all programs of the folders that run. */
export function running(folders: Folders): string[] {
  const names = list(folders.run).flatMap((file) => (file.endsWith('.pid') ? [file.slice(0, -'.pid'.length)] : []));
  return names.filter((name) => find(folders, name) !== undefined).sort();
}

/** Sends a signal to a program that runs; says whether there was one. */
export function signal(folders: Folders, name: string, what: NodeJS.Signals): boolean {
  const pid = find(folders, name);
  if (pid === undefined) return false;
  process.kill(pid, what);
  return true;
}

/** Ends a program: asks it to (SIGTERM), and after `graceMs` (none: at once) does not ask (SIGKILL). */
export async function stop(folders: Folders, name: string, graceMs = 0): Promise<void> {
  if (graceMs > 0 && signal(folders, name, 'SIGTERM')) await gone(folders, name, graceMs).catch(() => undefined);
  if (signal(folders, name, 'SIGKILL')) await gone(folders, name, 10_000);
  rmSync(pidFile(folders, name), { force: true });
}

/** The last lines of a program's log, for an error message. */
export function lastLines(folders: Folders, name: string, count = 15): string {
  return readFileSync(logFile(folders, name), 'utf8').trimEnd().split('\n').slice(-count).join('\n');
}

const gone = (folders: Folders, name: string, timeoutMs: number): Promise<boolean> =>
  until(`${name} to end`, () => find(folders, name) === undefined, { timeoutMs, everyMs: 20 });

function readPidFile(folders: Folders, name: string): string[] {
  try {
    return readFileSync(pidFile(folders, name), 'utf8').split('\n');
  } catch {
    return [];
  }
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
