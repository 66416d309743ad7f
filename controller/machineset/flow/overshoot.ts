import { ANNOTATION_DESIRED, ANNOTATION_MAX } from '../../../schemas/keys.ts';
import type { MachineSet } from '../../../schemas/machineset.ts';
import type { Outcome } from '../../flow/flow.ts';
import { type Freeze, type FreezeAction, type FreezeReason, followFreeze, freezeStateOf } from '../../model/freeze.ts';
import { isArriving, isLive, mayHoldVm, replicasOf } from '../../model/machine.ts';
import { isPaused } from '../../model/readiness.ts';
import { unlessAhead } from '../../safety/outage/gate.ts';
import type { MachineSetView } from './view.ts';

/**
 * Freezes a set whose machines have become too many, and ends that (hack/decisions/0000 7). What the set makes itself stays below
 * the limit by the ceiling before each creation: this tells of others who make machines for it, and stops it meanwhile.
 */
export const freezeSynced = (view: MachineSetView): Outcome<FreezeAction, FreezeReason> =>
  followFreeze(freezeState(view), causeOf(view));

/**
 * Machines that stay and hold a VM, or may, as the set remembers them until the next look. A set that is paused, or whose
 * Cluster is, is not judged, so it remembers what it had before: what comes meanwhile is a rise afterwards.
 */
export const holdingOf = (view: Pick<MachineSetView, 'set' | 'machines' | 'strays' | 'cluster'>) =>
  isPaused(view.set) || view.cluster.paused
    ? (view.set.status?.holding ?? undefined)
    : { machines: countOf(view), generation: view.set.metadata.generation ?? 0 };

/** Milliseconds until a freeze may end by mere waiting. */
export function thawsIn(view: MachineSetView): number {
  const { ours } = freezeState(view);
  const left = thawsAt(view) - view.now;
  return ours && left > 0 ? left : Infinity;
}

/**
 * A count above the limit is an overshoot only if it rose, with the same spec, since it was last written down: else the
 * set was scaled down, or was allowed more a moment ago (hack/spec/mcm.md 13.18). A frozen set has one until it is well below the most.
 */
function causeOf(view: MachineSetView): Freeze | undefined {
  const { marked, ours, asked } = freezeState(view);
  const { set, overshoot, now } = view;
  const count = countOf(view);
  const limit = replicasOf(set) + surgeOf(set) + overshoot.up;
  const cause = { reason: 'OverShootingReplicaCount', message: messageOf(view, { count, limit }) } as const;
  if (asked) return undefined;
  if (ours) return count > Math.max(replicasOf(set), limit - overshoot.down) || now < thawsAt(view) ? cause : undefined;
  const before = set.status?.holding;
  const rose = before && before.generation === set.metadata.generation && count > before.machines;
  return rose && !marked && count > limit ? cause : undefined;
}

function messageOf({ set, overshoot }: MachineSetView, { count, limit }: { count: number; limit: number }): string {
  const parts = `${replicasOf(set)} replicas, ${surgeOf(set)} above in a rollout, ${overshoot.up} by --safety-up`;
  return `${count} machines hold a VM, or may: the most are ${limit} (${parts}); none is made`;
}

const freezeState = ({ set }: MachineSetView) => freezeStateOf(set, set.status?.machineSetCondition);

/** A moment that cannot be read is long ago. */
const thawsAt = (view: MachineSetView): number =>
  unlessAhead(Date.parse(freezeState(view).condition?.lastTransitionTime ?? '') || 0, view) + view.overshoot.periodMs;

/** By owner reference, whatever their labels are; who has just come from another set is counted by the deployment first. */
const countOf = ({ machines, strays }: Pick<MachineSetView, 'machines' | 'strays'>): number =>
  [...machines, ...strays].filter((machine) => isLive(machine) && mayHoldVm(machine) && !isArriving(machine)).length;

/** The deployment's surge as its strategy resolves it; the set carries it since it was last scaled. */
function surgeOf({ metadata }: MachineSet): number {
  const [most, desired] = [ANNOTATION_MAX, ANNOTATION_DESIRED].map((key) =>
    Number.parseInt(metadata.annotations?.[key] ?? '', 10),
  ) as [number, number];
  return Math.max(0, most - desired) || 0;
}
