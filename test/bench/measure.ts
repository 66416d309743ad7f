import type { Api } from '../../controller/runtime/api.ts';
import type { Figures } from './figures.ts';
import { cpuSeconds, idleSeconds, idleShare } from './usage.ts';
import { type Writes, writesBetween, writesByResource, writesSoFar } from './writes.ts';

/** What a piece of work took. */
export interface Cost {
  /** Until the work's promise resolved; the next two are of the same time. */
  seconds: number;
  cpuSeconds: Record<string, number>;
  /** How much of the machine's time was left over: next to nothing means that the work took as long as its CPU time did. */
  idleShare: number;
  /** Until nothing more was written to machines and nodes: longer than `seconds`. */
  writes: Writes;
}

/** Where work is measured: the API server, and processes by name. */
export interface Place {
  api: Api;
  pids: Readonly<Record<string, number>>;
}

/** Work is over when these are written no more; events and the status of owners follow for longer. */
const ENDING = ['machines', 'machines/status', 'nodes', 'nodes/status'];

/** Longer than any pause after which what is measured here writes again. */
const QUIET_MS = 3_000;

/** Does a piece of work, waits until its last writes are done, and answers what it took. */
export async function costOf({ api, pids }: Place, work: () => Promise<void>): Promise<Cost> {
  const writes = await writesSoFar(api);
  const [cpu, idle, start] = [cpuOf(pids), idleSeconds(), performance.now()];
  await work();
  const seconds = (performance.now() - start) / 1000;
  const idled = idleShare(idleSeconds() - idle, seconds);
  const used = Object.entries(cpuOf(pids)).map(([name, after]) => [name, after - (cpu[name] ?? 0)]);
  const written = writesBetween(writes, await lastWrites(api));
  return { seconds, cpuSeconds: Object.fromEntries(used), idleShare: idled, writes: written };
}

/** A cost as figures; `machines` is how many it was for. */
export function figuresOf({ seconds, cpuSeconds, idleShare, writes }: Cost, machines: number): Figures {
  const share = ([resource, count]: [string, number]): [string, number] => [resource, count / machines];
  return {
    seconds,
    machines_per_second: machines / seconds,
    cpu_seconds: cpuSeconds,
    idle_share_of_cores: idleShare,
    writes,
    writes_per_machine: Object.fromEntries(Object.entries(writesByResource(writes)).map(share)),
  };
}

const cpuOf = (pids: Place['pids']): Record<string, number> =>
  Object.fromEntries(Object.entries(pids).map(([name, pid]) => [name, cpuSeconds(pid)]));

async function lastWrites(api: Api): Promise<Writes> {
  for (let before = await writesSoFar(api); ; ) {
    await Bun.sleep(QUIET_MS);
    const after = await writesSoFar(api);
    const news = writesByResource(writesBetween(before, after));
    if (ENDING.every((resource) => news[resource] === undefined)) return after;
    before = after;
  }
}
