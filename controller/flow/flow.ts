/**
 * The result algebra of every reconcile flow: an ordered list of named pure steps, of which the first that is not
 * satisfied decides. A step's name is also the status condition, the metric label, the log key and the row in the docs.
 */

/** What one step says of a view. `A` is the kind's closed union of actions, `R` the reasons in its table. */
export type Outcome<A, R extends string = string> =
  /** Satisfied: look at the next step. */
  | { kind: 'pass' }
  /** Change the world, then look again. */
  | { kind: 'act'; reason: R; action: A; message?: string }
  /** Nothing to do for `ms` milliseconds (Infinity: until something changes). */
  | { kind: 'wait'; reason: R; ms: number; message?: string }
  /** Cannot go on until the object, its class or its secret changes. */
  | { kind: 'fail'; reason: R; message: string };

/** A pure, synchronous judgement of one aspect of a view. */
export type Step<V, A, R extends string = string> = (view: V) => Outcome<A, R>;

/** Named steps in the order in which they are judged. */
export type Steps<V, A, R extends string = string> = Readonly<Record<string, Step<V, A, R>>>;

/** The deciding step of a pass, and what it said. */
export interface Decision<A> {
  step: string;
  outcome: Outcome<A>;
  /** The reason of what the step wanted, before a gate made it wait. */
  held?: string;
}

/** How one step stands, in the words of a status condition. */
export interface StepState {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  reason: string;
  message: string;
}

/** The name of the decision of a flow in which every step is satisfied. */
export const SETTLED = 'Settled';

/** A step is satisfied. */
export const pass: Outcome<never, never> = { kind: 'pass' };
/** A step wants the world changed. */
export const act = <A, R extends string>(reason: R, action: A, message?: string): Outcome<A, R> =>
  message === undefined ? { kind: 'act', reason, action } : { kind: 'act', reason, action, message };
/** A step waits, `ms` milliseconds at the most. */
export const wait = <R extends string>(reason: R, ms: number, message?: string): Outcome<never, R> =>
  message === undefined ? { kind: 'wait', reason, ms } : { kind: 'wait', reason, ms, message };
/** A step cannot go on until something changes. */
export const fail = <R extends string>(reason: R, message: string): Outcome<never, R> => ({
  kind: 'fail',
  reason,
  message,
});

/** The first step that is not satisfied decides; a flow with every step satisfied has settled. */
export function decide<V, A>(steps: Steps<V, A>, view: V): Decision<A> {
  for (const [step, judge] of Object.entries(steps)) {
    const outcome = judge(view);
    if (outcome.kind !== 'pass') return { step, outcome };
  }
  return { step: SETTLED, outcome: pass };
}

/** Why the step decided so, in one word; a flow in which nothing is left to do has its step's name. */
export const reasonOf = ({ step, outcome }: Decision<unknown>): string =>
  outcome.kind === 'pass' ? step : outcome.reason;

/** The same in a sentence; empty where the step says none. */
export const messageOf = ({ outcome }: Decision<unknown>): string =>
  'message' in outcome ? (outcome.message ?? '') : '';

/** Steps before the deciding one are True, the deciding one is False with its reason, those after it are Unknown. */
export function stepStates<V, A>(steps: Steps<V, A>, decision: Decision<A>): StepState[] {
  const { step: decider, outcome } = decision;
  const message = messageOf(decision);
  const names = Object.keys(steps);
  const at = decider === SETTLED ? names.length : names.indexOf(decider);
  return names.map((type, index): StepState => {
    if (index < at) return { type, status: 'True', reason: type, message: '' };
    if (index > at) return { type, status: 'Unknown', reason: 'NotReached', message: `waits for ${decider}` };
    return { type, status: 'False', reason: outcome.kind === 'pass' ? type : outcome.reason, message };
  });
}
