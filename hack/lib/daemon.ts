import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from './until.ts';

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
const logFile = (folders: Folders, name: string): string => join(folders.log, `${name}.log`);

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

/** States of `/proc/<pid>/stat` in which a process has ended and only waits for its parent. */
const ENDED = new Set(['Z', 'X', 'x']);

/**
 * What tells a living process from every other that ever had or will have its pid: on Linux the boot and the tick at
 * which it started, elsewhere (not tried on macOS) the second at which it started.
 * Undefined when nothing alive has the pid.
 */
export const markOf = (pid: number): string | undefined =>
  existsSync('/proc/self/stat') ? linuxMark(pid) : psMark(pid);

function linuxMark(pid: number): string | undefined {
  const stat = read(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  // The second field is the command in parentheses and may hold anything; the third, after the last one, is the state.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state = 'X', threads, startTick] = [fields[0], fields[17], fields[19]];
  // While other threads than the first are still ending, the process holds its ports.
  if (ENDED.has(state) && Number(threads) <= 1) return undefined;
  return `${read('/proc/sys/kernel/random/boot_id')?.trim()} ${startTick}`;
}

function psMark(pid: number): string | undefined {
  const { stdout } = Bun.spawnSync(['ps', '-o', 'stat=,lstart=', '-p', String(pid)], { stderr: 'ignore' });
  const [state, ...mark] = stdout.toString().trim().split(/\s+/);
  return !state || ENDED.has(state.charAt(0)) ? undefined : mark.join(' ');
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
