import { type Decision, reasonOf, wait } from '../../flow/flow.ts';
import { timestamp } from '../../runtime/k8s/timestamp.ts';
import type { Gate } from './gate.ts';

/**
 * What an action does to a herd: `makes` needs a control API server that can record what was made, `destroys` takes
 * something away, or is a step on the way to that.
 */
export type Effect = 'harmless' | 'makes' | 'destroys';

/** The effect of each action of a kind: a new action has to say what it does. */
export type Effects<A extends { do: string }, V> = {
  readonly [K in A['do']]: Effect | ((action: Extract<A, { do: K }>, view: V) => Effect);
};

const REASONS = { control: 'ControlAway', target: 'TargetAway' } as const;

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
  shut !== undefined && (effect === 'destroys' || (effect === 'makes' && shut.away === 'control'));

/** The decision, or behind a shut gate a wait in its place that tells what would have been done (decisions 7, outage). */
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
  const message = `the ${shut.away} API server is away${since}: ${held} is held`;
  return { step, outcome: wait(REASONS[shut.away], LOOK_MS, message), held };
}

/** A reason that only a shut gate gives. */
export const isHeldReason = (reason: string | undefined): boolean =>
  reason === REASONS.control || reason === REASONS.target;
