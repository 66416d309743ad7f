import type { Target, Targets } from '../../model/target.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Reach } from '../../runtime/health/probe.ts';
import type { ReachFact } from '../../runtime/health/probestate.ts';
import type { KubeObject } from '../../runtime/k8s/object.ts';

/** Whether something may be taken away now, and from when on clocks count (decisions 7, outage). Times in milliseconds. */
export interface Gate {
  /** Destructive work stands still; while it is the control API server that is away, creation too. */
  shut?: { away: 'control' | 'target'; since: number };
  /** When the wall clock was set, by the clock as it is since; absent while it never was. */
  steppedAt?: number;
  /** What lasted before this moment lasts only since then: an outage ended there, or nobody looked. */
  judgesFrom: number;
}

/** A time on record that lies ahead since the clock was set back counts as that moment: else it would last for as long. */
export const unlessAhead = (time: number, { now, gate }: { now: number; gate: Gate }): number =>
  time > now ? Math.min(time, gate.steppedAt ?? time) : time;

/** How the two API servers of an object stand; without `target` it has no target cluster. */
export interface Reached {
  control: ReachFact;
  target?: ReachFact | undefined;
}

/** The gate of an object, from the state of its API servers. @param at `awayMs`: a streak of failed probes is an outage when it lasts longer */
export function gateOf({ control, target }: Reached, { now, awayMs }: { now: number; awayMs: number }): Gate {
  const steppedAt = Math.max(control.steppedAt ?? 0, target?.steppedAt ?? 0);
  const from = {
    judgesFrom: Math.max(control.backSince, target?.backSince ?? 0),
    ...(steppedAt > 0 && { steppedAt }),
  };
  const isLong = (since: number | undefined): since is number => since !== undefined && now - since > awayMs;
  if (isLong(control.awaySince)) return { shut: { away: 'control', since: control.awaySince }, ...from };
  if (isLong(target?.awaySince)) return { shut: { away: 'target', since: target.awaySince }, ...from };
  return from;
}

/** Finds the gate of a Machine, MachineSet or MachineDeployment, as it is at this moment. */
export interface Gates {
  of(object: KubeObject): Gate;
}

/** Where gates are read. */
export interface GateSources {
  control: Pick<Reach, 'fact'>;
  targets: Pick<Targets, 'of'>;
  /** The target of an object, read or not; undefined when there is none, or no way to it. */
  followed(object: KubeObject): Pick<Target, 'reach'> | undefined;
  clock: Clock;
  /** See `gateOf`. */
  awayMs: number;
}

/** Gates made from how API servers stand. */
export const gatesOf = (sources: GateSources): Gates => ({
  of(object) {
    const { control, clock, awayMs } = sources;
    return gateOf({ control: control.fact(), target: standing(sources, object) }, { now: clock.now(), awayMs });
  },
});

/**
 * How the object's target stands. One to which there is no way is away; one that is gone, or will not be waited for
 * because its Cluster is being deleted, holds up nothing that leaves.
 */
function standing({ targets, followed }: GateSources, object: KubeObject): ReachFact | undefined {
  const fact = targets.of(object);
  if (fact.at === 'open') return fact.target.reach.fact();
  if (fact.at !== 'opening') return undefined;
  return followed(object)?.reach.fact() ?? { awaySince: fact.since, backSince: 0 };
}
