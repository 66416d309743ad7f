import { existsSync, readFileSync } from 'node:fs';

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
