import type { ReachFact } from '../../runtime/health/probestate.ts';

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
