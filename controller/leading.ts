import { type Leadership, lead } from './runtime/lease.ts';
import { apiOf, type Process } from './start.ts';

/** Leases that are held together, and lost together. */
export interface Leading {
  /** Aborts when one of them is lost. */
  signal: AbortSignal;
  /** Gives them back, once all work has ended. */
  release(): Promise<void>;
}

/** The leases of MCM's two programs: while one of them runs, the reconcilers that it brings do not run here (decisions 9). */
const LEASES = [
  { name: 'machine-controller-manager', controllers: ['machinedeployment', 'machineset'] },
  { name: 'machine-controller', controllers: ['machine'] },
] as const;

/** Waits until this process holds the leases of the reconcilers that it runs; without election it leads at once. */
export async function takeLead(process: Process, signal: AbortSignal): Promise<Leading> {
  const { settings, clock, random, log, identity, connections } = process;
  if (!settings.leaderElect) return { signal: new AbortController().signal, release: async () => {} };
  const election = {
    api: apiOf(process, connections.control, 'free'),
    clock,
    random,
    log,
    identity,
    signal,
    namespace: settings.leaderElectNamespace,
    durationMs: settings.leaderElectLeaseDuration,
    renewMs: settings.leaderElectRenewDeadline,
    retryMs: settings.leaderElectRetryPeriod,
  };
  const wanted = LEASES.filter(({ controllers }) => controllers.some((name) => settings.controllers.includes(name)));
  const held: Leadership[] = [];
  const release = async () => void (await Promise.all(held.map((one) => one.release())));
  try {
    for (const { name } of wanted) held.push(await lead({ ...election, name }));
  } catch (error) {
    await release();
    throw error;
  }
  return { signal: AbortSignal.any(held.map((one) => one.signal)), release };
}
