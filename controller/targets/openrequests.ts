/** Requests that Bun has open at once when its environment says nothing; each further one waits without a word. */
const DEFAULT_LIMIT = 256;
/** Watches of the control cluster and of drivers, and as many calls as may come beside. */
const CONTROL = 40;
/** Watches of one target cluster. */
const TARGET = 5;
/** Probes of one target cluster. */
const PROBES = 1;
/** Calls to one target cluster that are open at once, watches and probes not counted. */
const CALLS = { least: 2, most: 32 };
/** What one target cluster may hold at the least, when all of its calls hang. */
const LEAST = TARGET + PROBES + CALLS.least;

/**
 * How many target clusters the process can follow, also when all of them hang: connections of their own, as leases and probes
 * have, are no places of their own. @param limit value of BUN_CONFIG_MAX_HTTP_REQUESTS, if it is set
 */
export const mostTargets = (limit: string | undefined): number =>
  Math.floor(((Number(limit) || DEFAULT_LIMIT) - CONTROL) / LEAST);

/** What somebody has to do before there are more targets than that; undefined while there is room. */
export function requestsComplaint(targets: number, limit: string | undefined): string | undefined {
  if (targets <= mostTargets(limit)) return undefined;
  const needed = 2 ** Math.ceil(Math.log2(CONTROL + LEAST * targets));
  return `${targets} target clusters need more open requests than the process may have: set BUN_CONFIG_MAX_HTTP_REQUESTS=${needed} in its environment`;
}

/** How many calls to each of so many target clusters may be open at once, so that one that hangs takes no other's place. */
export function callsPerTarget(targets: number, limit: string | undefined): number {
  const share = Math.floor(((Number(limit) || DEFAULT_LIMIT) - CONTROL) / Math.max(1, targets));
  return Math.min(CALLS.most, Math.max(CALLS.least, share - TARGET - PROBES));
}
