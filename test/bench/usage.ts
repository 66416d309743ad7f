import { readFileSync } from 'node:fs';

/** What processes use, as Linux tells it in /proc; there is no such place on other systems. */

/** Linux counts CPU time in hundredths of a second, whatever the machine (proc(5), `sysconf(_SC_CLK_TCK)`). */
const TICKS_PER_SECOND = 100;

/** CPU time that a process has used so far, its threads included, in seconds. */
export function cpuUsed(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The second field is the command in parentheses and may hold anything; user and system time are fields 14 and 15.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** How long the machine's cores have had nothing to do so far, summed, in seconds. */
export function idleSoFar(): number {
  const [, , , , idle, waiting] = readFileSync('/proc/stat', 'utf8').split('\n', 1)[0]?.split(/\s+/) ?? [];
  return (Number(idle) + Number(waiting)) / TICKS_PER_SECOND;
}

/** The most memory that a process ever held, and what it holds now, in MiB (resident set). */
export function memoryMiB(pid: number): { peak: number; now: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const of = (field: string) => Number(status.match(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm'))?.[1]) / 1024;
  return { peak: of('VmHWM'), now: of('VmRSS') };
}

/** Of the memory that a process holds now, what no file backs: nothing else can give it back under pressure; in MiB. */
export const anonymousMiB = (pid: number): number =>
  Number(/^RssAnon:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
