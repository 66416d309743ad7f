import type { ListedVm } from '../../../drivers/sdk/driver.ts';
import type { Standing, SweepPlan, SweepView } from './view.ts';

/** Standings of orphans that stay: people are told of them. */
const TOLD: ReadonlySet<Standing> = new Set(['unknown', 'reported', 'held']);

/** Standings of VMs that are not without a Machine, or are on their way out. */
const SETTLED: ReadonlySet<Standing> = new Set(['owned', 'foreign', 'retained', 'leaving']);

/**
 * How each VM of a class stands. A VM is never deleted on suspicion: it must be this installation's, without a Machine in
 * two sweeps in a row, old enough, and nothing may be frozen or away (decisions 7; MCM 13.2, 13.3).
 */
export function planSweep(view: SweepView): SweepPlan {
  const sightings = new Map<string, number>();
  const standings = new Map<ListedVm, Standing>();
  let begun = view.vms.filter(view.isLeaving).length;
  for (const vm of view.vms) {
    const found = standingOf(vm, view);
    if (!SETTLED.has(found) && view.shut === undefined) sightings.set(vm.providerID, firstSeen(vm, view));
    const standing = found === 'due' && begun >= view.limits.most ? 'queued' : found;
    if (standing === 'due') begun++;
    standings.set(vm, standing);
  }
  const findings = [...standings].filter(([vm, standing]) => TOLD.has(standing) && isConfirmed(vm, view));
  return { standings, sightings, findings: findings.map(([vm]) => vm) };
}

/** What the list and the Machines say of a VM; then what is known of its past; then what may be done. */
function standingOf(vm: ListedVm, view: SweepView): Standing {
  const { claims, limits, now, shut } = view;
  if (claims.named(vm)) return 'owned';
  if (vm.incarnation !== undefined && vm.incarnation !== view.incarnation) return 'foreign';
  if (view.isElsewhere(vm)) return 'foreign';
  if (vm.retained || claims.retained(vm)) return 'retained';
  if (claims.pending(vm)) return 'owned';
  if (view.isLeaving(vm)) return 'leaving';
  if (vm.incarnation === undefined || vm.created === undefined || vm.machineName === '') return 'unknown';
  if (now - Math.max(vm.created, view.steppedAt) < limits.graceMs) return 'young';
  if (!isConfirmed(vm, view)) return shut === undefined ? 'waiting' : 'held';
  if (limits.policy === 'report') return 'reported';
  return shut !== undefined || view.isFrozen(vm) || view.isHost(vm) ? 'held' : 'due';
}

/** Whether a VM was seen without a Machine by this sweep and an earlier one, far enough apart. */
const isConfirmed = (vm: ListedVm, view: SweepView): boolean =>
  view.shut === undefined && view.now - firstSeen(vm, view) >= view.limits.apartMs && isKnown(vm, view);

/** A sighting from before the clock was set back may lie ahead: it proves nothing either. */
function isKnown({ providerID }: ListedVm, { sightings, judgesFrom, now }: SweepView): boolean {
  const seenAt = sightings.get(providerID);
  return seenAt !== undefined && seenAt >= judgesFrom && seenAt <= now;
}

const firstSeen = (vm: ListedVm, view: SweepView): number =>
  isKnown(vm, view) ? (view.sightings.get(vm.providerID) ?? view.now) : view.now;
