import { type Decision, reasonOf, wait } from '../../flow/flow.ts';
import type { Target, Targets } from '../../model/target.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Reach } from '../../runtime/health/probe.ts';
import type { ReachFact } from '../../runtime/health/probestate.ts';
import { type KubeObject, timestamp } from '../../runtime/k8s/object.ts';

/** Whether destructive actions are allowed now, and from when on time-outs run (hack/decisions/0000 7, outage). Times in milliseconds. */
export interface Gate {
  /** Destructive actions are held; while the control API server is unreachable, creations are held, too. */
  shut?: { unreachable: 'control' | 'target'; since: number };
  /** When the wall clock was set, by the clock as it is since; absent while it never was. */
  steppedAt?: number;
  /** What began earlier counts only from this time on: an outage ended then, or no process was watching before. */
  judgesFrom: number;
}

/** Clocks of replicas may differ by so much, milliseconds. */
const SKEW_MS = 30_000;

/**
 * A recorded time that lies in the future, because the clock was set back since, counts as the time when the clock was set: otherwise it
 * would stay in the future for as long. One that another process wrote by a wrong clock counts as the time from which this process judges
 * (hack/decisions/0051 L108).
 */
export function unlessAhead(time: number, { now, gate }: { now: number; gate: Gate }): number {
  if (time <= now) return time;
  return Math.min(time, gate.steppedAt ?? (time > now + SKEW_MS ? gate.judgesFrom : time));
}

/** How the two API servers of an object stand; without `target` it has no target cluster. */
export interface Reached {
  control: ReachFact;
  target?: ReachFact | undefined;
}

/** The gate of an object, from the state of its API servers. @param at `unreachableAfterMs`: a streak of failed probes is an outage when it lasts longer */
export function gateOf(
  { control, target }: Reached,
  { now, unreachableAfterMs }: { now: number; unreachableAfterMs: number },
): Gate {
  const steppedAt = Math.max(control.steppedAt ?? 0, target?.steppedAt ?? 0);
  const from = {
    judgesFrom: Math.max(control.backSince, target?.backSince ?? 0),
    ...(steppedAt > 0 && { steppedAt }),
  };
  const isLong = (since: number | undefined): since is number =>
    since !== undefined && now - since > unreachableAfterMs;
  if (isLong(control.unreachableSince))
    return { shut: { unreachable: 'control', since: control.unreachableSince }, ...from };
  if (isLong(target?.unreachableSince))
    return { shut: { unreachable: 'target', since: target.unreachableSince }, ...from };
  return from;
}

/** Finds the current gate of a Machine, MachineSet or MachineDeployment. */
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
  unreachableAfterMs: number;
}

/** Gates made from how API servers stand. */
export const gatesOf = (sources: GateSources): Gates => ({
  of(object) {
    const { control, clock, unreachableAfterMs } = sources;
    return gateOf(
      { control: control.fact(), target: standing(sources, object) },
      { now: clock.now(), unreachableAfterMs },
    );
  },
});

/**
 * How the object's target stands. A target without a connection counts as unreachable; one that is gone, or is not waited for because its
 * Cluster is being deleted, holds up no deletion.
 */
function standing({ targets, followed }: GateSources, object: KubeObject): ReachFact | undefined {
  const fact = targets.of(object);
  if (fact.at === 'open') return fact.target.reach.fact();
  if (fact.at !== 'opening') return undefined;
  return followed(object)?.reach.fact() ?? { unreachableSince: fact.since, backSince: 0 };
}

/**
 * What an action does: `makes` needs a control API server that can record what was made; `destroys` deletes or removes something, or is a
 * step towards that.
 */
export type Effect = 'harmless' | 'makes' | 'destroys';

/** The effect of each action of a kind: a new action has to say what it does. */
export type Effects<A extends { do: string }, V> = {
  readonly [K in A['do']]: Effect | ((action: Extract<A, { do: K }>, view: V) => Effect);
};

const REASONS = { control: 'ControlClusterUnreachable', target: 'TargetClusterUnreachable' } as const;

/** A held key is enqueued when the server is back; a streak that ended as a blip enqueues none, so it is requeued after this, milliseconds. */
const LOOK_MS = 60_000;

/** What a gate needs to know of a kind. */
export interface Gating<A extends { do: string }, V> {
  effects: Effects<A, V>;
  /** Decisions that are held whatever their action does, or though they have none: judgements and waits for a clock. */
  judges?(decision: Decision<A>, view: V): boolean;
}

/** The effect of an action. */
export function effectOf<A extends { do: string }, V>(effects: Effects<A, V>, action: A, view: V): Effect {
  const effect = effects[action.do as A['do']] as Effect | ((action: A, view: V) => Effect);
  return typeof effect === 'function' ? effect(action, view) : effect;
}

/** Whether nothing of this effect may begin now. */
export const mayNot = (effect: Effect, { shut }: Gate): boolean =>
  shut !== undefined && (effect === 'destroys' || (effect === 'makes' && shut.unreachable === 'control'));

/** The decision, or behind a shut gate a wait in its place that tells what would have been done (hack/decisions/0000 7, outage). */
export function gated<A extends { do: string }, V extends { gate: Gate }>(
  decision: Decision<A>,
  view: V,
  { effects, judges = () => false }: Gating<A, V>,
): Decision<A> {
  const { shut } = view.gate;
  if (!shut) return decision;
  const { step, outcome } = decision;
  const isAct = outcome.kind === 'act' && mayNot(effectOf(effects, outcome.action, view), view.gate);
  if (!isAct && !judges(decision, view)) return decision;
  const held = reasonOf(decision);
  const since = shut.since > 0 ? ` since ${timestamp(shut.since)}` : '';
  const message = `the ${shut.unreachable} API server is unreachable${since}: ${held} is held`;
  return { step, outcome: wait(REASONS[shut.unreachable], LOOK_MS, message), held };
}

/** A reason that only a shut gate gives. */
export const isHeldReason = (reason: string | undefined): boolean =>
  reason === REASONS.control || reason === REASONS.target;
