import { availableParallelism } from 'node:os';
import type { Api } from '../../controller/runtime/client/api.ts';
import type { Figures } from './figures.ts';
import { cpuUsed, idleSoFar } from './usage.ts';
import { type Writes, writesBetween, writesByResource, writesSoFar } from './writes.ts';

/** What a piece of work took. */
export interface Cost {
  /** Until the work's promise resolved; the next two are of the same time. */
  seconds: number;
  cpuSeconds: Record<string, number>;
  /** Summed over the cores. */
  idleSeconds: number;
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
  const [cpu, idle, start] = [cpuOf(pids), idleSoFar(), performance.now()];
  await work();
  const seconds = (performance.now() - start) / 1000;
  const idleSeconds = idleSoFar() - idle;
  const used = Object.entries(cpuOf(pids)).map(([name, after]) => [name, after - (cpu[name] ?? 0)]);
  const written = writesBetween(writes, await lastWrites(api));
  return { seconds, cpuSeconds: Object.fromEntries(used), idleSeconds, writes: written };
}

/** A cost as figures; `machines` is how many it was for. */
export function figuresOf(cost: Cost, machines: number): Figures {
  const { seconds, cpuSeconds, idleSeconds, writes } = cost;
  const available = seconds * availableParallelism();
  const measured = allCpuSeconds(cost);
  const perMachine = ([resource, count]: [string, number]): [string, number] => [resource, count / machines];
  return {
    seconds,
    machines_per_second: machines / seconds,
    cpu_seconds: cpuSeconds,
    share_of_cores: {
      measured: measured / available,
      idle: idleSeconds / available,
      others: (available - measured - idleSeconds) / available,
    },
    writes,
    writes_per_machine: Object.fromEntries(Object.entries(writesByResource(writes)).map(perMachine)),
  };
}

/** CPU time of all processes that were measured, together. */
export const allCpuSeconds = ({ cpuSeconds }: Cost): number =>
  Object.values(cpuSeconds).reduce((sum, used) => sum + used, 0);

const cpuOf = (pids: Place['pids']): Record<string, number> =>
  Object.fromEntries(Object.entries(pids).map(([name, pid]) => [name, cpuUsed(pid)]));

async function lastWrites(api: Api): Promise<Writes> {
  for (let before = await writesSoFar(api); ; ) {
    await Bun.sleep(QUIET_MS);
    const after = await writesSoFar(api);
    const news = writesByResource(writesBetween(before, after));
    if (ENDING.every((resource) => news[resource] === undefined)) return after;
    before = after;
  }
}
