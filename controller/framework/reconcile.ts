import { type Decision, type Note, noteOf, type Outcome, type ReasonTable } from '../flow/flow.ts';
import type { Result } from '../runtime/queue/loop.ts';
import type { Beside, DecisionLog } from './decisionlog.ts';

/** A decision that wants something done. */
export type Acting<D extends Decision<unknown>> = D & { outcome: Extract<D['outcome'], { kind: 'act' }> };

/** One kind's parts of a reconcile: all kinds are looked after in the same way, and differ in these. */
export interface Kind<V, D extends Decision<unknown>> {
  /** What reasons mean, and which of them are told by an event. */
  reasons: ReasonTable;
  decisionLog: Pick<DecisionLog, 'decided' | 'forget'>;
  /** Everything that one decision needs, read at one moment; undefined once the object is gone. */
  observe(key: string): V | undefined;
  /** Drops what is remembered of an object that is gone. */
  forget(key: string): void;
  /** The key of the object that is looked at. */
  objectKey(view: V): string;
  /** What the first step that is not satisfied wants, held behind a shut gate. Pure. */
  plan(view: V): D;
  /** What has to come first, in place of following the decision; undefined in nearly every pass. */
  first?(view: V, decision: D): Promise<Result> | undefined;
  /** What is logged beside the decision. */
  beside?(view: V, decision: D): Beside;
  /** Does what was decided, and tells of it. Throws what was refused: the queue backs off. */
  act(view: V, decision: Acting<D>, notes: readonly Note[]): Promise<Result>;
  /** There is nothing to do: writes the status, and tells what is new of the decision; answers when to look again by itself. */
  rest(view: V, decision: D, news: readonly Note[]): Promise<Result>;
}

/** One pass over an object: observe, plan, then act, or tell how it stands. */
export async function reconcile<V, D extends Decision<unknown>>(kind: Kind<V, D>, key: string): Promise<Result> {
  const view = kind.observe(key);
  if (view) {
    const decision = kind.plan(view);
    return kind.first?.(view, decision) ?? follow(kind, view, decision);
  }
  kind.decisionLog.forget(key);
  kind.forget(key);
  return {};
}

/** Logs a decision, and does what it wants. An action is told each time, a wait once. */
export function follow<V, D extends Decision<unknown>>(kind: Kind<V, D>, view: V, decision: D): Promise<Result> {
  const changed = kind.decisionLog.decided(kind.objectKey(view), decision, kind.beside?.(view, decision));
  const notes = noteOf(kind.reasons, decision);
  if (isActing(decision)) return kind.act(view, decision, notes);
  return kind.rest(view, decision, changed ? notes : []);
}

const isActing = <D extends Decision<unknown>>(decision: D): decision is Acting<D> => decision.outcome.kind === 'act';

/** So long a decision waits, milliseconds. */
export const waitOf = ({ outcome }: { outcome: Outcome<unknown> }): number =>
  outcome.kind === 'wait' ? outcome.ms : Infinity;

/** Looks again after the soonest of these times, milliseconds; if all are Infinity, when something changes. */
export function requeue(expectations: Result['expectations'], ...times: readonly number[]): Result {
  const after = Math.max(0, Math.min(...times));
  return { ...(Number.isFinite(after) && { after }), ...(expectations && { expectations }) };
}
