import { type Leadership, leadAll } from '../runtime/leader/election.ts';
import type { Process } from '../state/deps.ts';
import { apiOf, start } from './start.ts';

/** The leases of MCM's two programs: while one of them runs, the reconcilers that it brings do not run here (hack/decisions/0000 9). */
const LEASES = [
  { name: 'machine-controller-manager', controllers: ['machinedeployment', 'machineset'] },
  { name: 'machine-controller', controllers: ['machine'] },
] as const;

/** How far a process is; a standby is as ready as it can be. */
export type Stage = 'standing by' | 'reading the first lists' | 'running';

/** Leadership of a process without leader election: it is never lost. */
const unelected = (): Leadership => ({
  signal: new AbortController().signal,
  release: async () => {},
  renewedMsAgo: () => 0,
});

/** Waits until this process holds the leases of the reconcilers that it runs; without election it leads at once. */
async function takeLead(process: Process, signal: AbortSignal): Promise<Leadership> {
  const { settings, clock, random, log, identity, connections } = process;
  if (!settings.leaderElect) return unelected();
  const election = {
    api: apiOf(process, connections.control, 'vital'),
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
  return leadAll(
    wanted.map(({ name }) => name),
    election,
  );
}

/**
 * From when on time-outs run: from the beginning of this term if there was no leader for longer than a blip, for what happened meanwhile is
 * unknown; 0 if the previous leader renewed the lease until now. If the clocks of the two differ by more than that, it counts as a gap,
 * too; a gap that the difference of the clocks hides is seen by a process that was on standby meanwhile, on its own clock
 * (hack/decisions/0051 L95).
 */
export function clocksFrom(
  { clock, settings }: Pick<Process, 'clock' | 'settings'>,
  { heldBefore = 0, heldAfter = clock.monotonic() }: Pick<Leadership, 'heldBefore' | 'heldAfter'>,
): number {
  const now = clock.now();
  const gapMs = Math.max(Math.abs(now - heldBefore), clock.monotonic() - heldAfter);
  return gapMs <= settings.machineSafetyApiserverStatuscheckTimeout ? 0 : now;
}

/** How long a process that has lost its lease may take to end, beyond the term that others respect; milliseconds. */
const ENDING_MS = 30_000;

/** A leader that cannot renew ends by itself; one that has not, long after others may lead, never will. */
export function overdueOf(
  { settings }: Pick<Process, 'settings'>,
  { renewedMsAgo }: Pick<Leadership, 'renewedMsAgo'>,
): string | undefined {
  const ms = renewedMsAgo();
  if (ms < settings.leaderElectLeaseDuration + ENDING_MS) return undefined;
  return `lease: not renewed for ${Math.floor(ms / 1000)} s, and the process has not ended`;
}

/** How long the first lists may take, milliseconds; those of the largest herds take seconds. */
const FIRST_LISTS_MS = 600_000;

/**
 * A leader whose first lists do not come does nothing and keeps others from it; one that begins anew, here or elsewhere, may fare better.
 * @param ms for how long it has waited for them
 */
export function unlistedOf(ms: number): string | undefined {
  if (ms < FIRST_LISTS_MS) return undefined;
  return `first lists: not in after ${Math.floor(ms / 1000)} s, though this process holds the lease`;
}

/** Begins to watch whether the first lists of a leader come; without election nobody waits for them elsewhere. */
function watchFirstLists({ clock, settings, vitals }: Process): (() => void) | undefined {
  const since = clock.monotonic();
  return settings.leaderElect ? vitals?.watch(() => unlistedOf(clock.monotonic() - since)) : undefined;
}

/**
 * One term of leadership, from the lease to the end of the last pass; a lost lease ends it at once, passes and all.
 * @param stop ends it in good order
 * @param enter is told each stage after 'standing by'
 * @returns the process's exit code: 0 when it was told to stop, 1 when it has lost its lease
 */
export async function leadOnce(process: Process, stop: AbortSignal, enter: (stage: Stage) => void): Promise<0 | 1> {
  const { log, metrics } = process;
  metrics.set('drover_leader', 0);
  const lead = await takeLead(process, stop);
  metrics.set('drover_leader', 1);
  const unwatch = process.vitals?.watch(() => overdueOf(process, lead));
  const listed = watchFirstLists(process);
  const lost = new Promise<'lost'>((resolve) => lead.signal.addEventListener('abort', () => resolve('lost')));
  try {
    enter('reading the first lists');
    const { ended } = await start(process, AbortSignal.any([stop, lead.signal]), clocksFrom(process, lead));
    listed?.();
    enter('running');
    if ((await Promise.race([ended, lost])) === 'lost') {
      log.error('lost the lease: another may lead, so this process ends', { error: lead.signal.reason });
      return 1;
    }
  } finally {
    metrics.set('drover_leader', 0);
    await lead.release();
    unwatch?.();
    listed?.();
  }
  log.info('stopped', { why: String(stop.reason) });
  return 0;
}
