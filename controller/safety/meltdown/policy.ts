import { timestamp } from '../../runtime/k8s/object.ts';

/** How many machines of an area ran once, and how they are now. */
export interface Tally {
  total: number;
  /** Those that are being replaced included. */
  unhealthy: number;
  replaced: number;
}

/** The numbers by which a namespace's machines are judged. */
export interface Judged extends Tally {
  /** They are its own machines alone, while others have some in the area as well. */
  alone?: true;
}

/** Many of an area's machines are unhealthy at once: no set of failures, but one. */
export interface Outage {
  /** When it was first seen, and since when it is over, on the monotonic clock. */
  since: number;
  calmSince?: number;
  /** What is told of it: told anew only when it has become much better or worse, so that nobody writes all the time. */
  reported: Judged;
}

/** A zone of a target cluster, or that cluster as a whole, without `zone`, as one namespace has it. */
export interface Area {
  zone?: string;
  /** The machines of the namespace. */
  tally: Tally;
  outage?: Outage | undefined;
}

/** What a replacement for being unhealthy is measured against. */
export interface MeltdownLimits {
  /** Percent of an area's machines above which bad health is an outage. */
  outagePercent: number;
  /** How many machines a namespace has replaced of a zone at once: so many, or so many percent of its own but at least one. */
  budget: { count: number } | { percent: number };
}

/** Why a machine is not given up although its time is over, and how soon to look again in milliseconds. */
export interface ReplacementHold {
  reason:
    | 'ReplacementDelayed'
    | 'ZoneBudgetExhausted'
    | 'ZoneOutage'
    | 'ZoneRecovering'
    | 'ClusterOutage'
    | 'ClusterRecovering';
  /** Ends a sentence that began with what would have been done. */
  message: string;
  ms: number;
}

/** So few unhealthy machines are never an outage, however small the zone (Kubernetes, node_lifecycle_controller.go). */
const FEW = 2;
/** For so long an area must stay below the limit before its machines are given up again: many come back one by one. */
const CALM_MS = 120_000;
/** A change of the share by so many percent points is worth telling. */
const WORTH_REPORTING = 10;
/** How soon to look again. */
const OUTAGE_MS = 30_000;
const BUDGET_MS = 5_000;
/** No sooner than this: that an area is calm for long enough is found out by the next count (census.ts), which may come later. */
const LEAST_MS = 1_000;

const OF_ZONE = { outage: 'ZoneOutage', recovering: 'ZoneRecovering' } as const;
const OF_CLUSTER = { outage: 'ClusterOutage', recovering: 'ClusterRecovering' } as const;

/** With these numbers an area is out: more than a few are unhealthy, and more than so many percent. */
export const isOut = ({ unhealthy, total }: Tally, outagePercent: number): boolean =>
  unhealthy > FEW && unhealthy * 100 > outagePercent * total;

/** How the outage of an area goes on, or begins, or is over for good, with these numbers. */
export function nextOutage(
  before: Outage | undefined,
  tally: Judged,
  { now, outagePercent }: { now: number } & Pick<MeltdownLimits, 'outagePercent'>,
): Outage | undefined {
  if (isOut(tally, outagePercent)) return { since: before?.since ?? now, reported: worthReporting(before, tally) };
  if (!before) return undefined;
  const calmSince = before.calmSince ?? now;
  return now - calmSince < CALM_MS ? { ...before, calmSince } : undefined;
}

/** The same moment on the monotonic clock and, to tell people, on the wall clock. */
interface Moment {
  now: number;
  wall: number;
}

/** What keeps a machine of this zone and cluster from being given up now; undefined when nothing of theirs does. */
export function holdIn(
  { zone, cluster }: { zone: Area; cluster: Area },
  limits: Moment & MeltdownLimits,
): ReplacementHold | undefined {
  return outageHold(zone, limits) ?? outageHold(cluster, limits) ?? budgetHold(zone, limits);
}

/** How many machines may be replaced at once of so many. */
export function budgetOf({ total }: Tally, { budget }: Pick<MeltdownLimits, 'budget'>): number {
  return 'count' in budget ? budget.count : Math.max(1, Math.floor((total * budget.percent) / 100));
}

/** The share of unhealthy machines, in percent. */
export const shareOf = ({ unhealthy, total }: Tally): number => (total === 0 ? 0 : (unhealthy / total) * 100);

function outageHold(area: Area, { now, wall, outagePercent }: Moment & MeltdownLimits): ReplacementHold | undefined {
  const { outage } = area;
  if (!outage) return undefined;
  const reasons = area.zone === undefined ? OF_CLUSTER : OF_ZONE;
  if (outage.calmSince !== undefined) {
    const ms = outage.calmSince + CALM_MS - now;
    const message = `${nameOf(area)} recovers from an outage, and its machines get until ${timestamp(wall + ms)} to come back`;
    return { reason: reasons.recovering, message, ms: Math.max(ms, LEAST_MS) };
  }
  const { unhealthy, total, alone } = outage.reported;
  const share = Number(shareOf(outage.reported).toFixed(1));
  const whose = alone ? ' of this namespace' : '';
  const message = `${unhealthy} of ${total} machines${whose} in ${nameOf(area)} are unhealthy (${share} %, limit ${outagePercent} %): that is an outage`;
  return { reason: reasons.outage, message, ms: OUTAGE_MS };
}

function budgetHold(zone: Area, limits: MeltdownLimits): ReplacementHold | undefined {
  const { replaced } = zone.tally;
  const budget = budgetOf(zone.tally, limits);
  if (replaced < budget) return undefined;
  const message = `${replaced} machines of this namespace in ${nameOf(zone)} are being replaced already, and ${budget} may be at a time`;
  return { reason: 'ZoneBudgetExhausted', message, ms: BUDGET_MS };
}

function nameOf({ zone }: Area): string {
  if (zone === undefined) return 'the target cluster';
  return zone ? `zone ${zone}` : 'no zone';
}

function worthReporting(before: Outage | undefined, tally: Judged): Judged {
  if (!before || before.calmSince !== undefined) return tally;
  return Math.abs(shareOf(before.reported) - shareOf(tally)) < WORTH_REPORTING ? before.reported : tally;
}
