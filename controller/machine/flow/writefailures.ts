import { type Decision, pass, type StepState, type Steps, wait } from '../../flow/flow.ts';
import { isForced } from './predicates.ts';
import type { Reason } from './reasons.ts';
import { traitsOf } from './steptraits.ts';
import { overdue } from './timely.ts';
import { type MachineAction, type MachineView, writeKey } from './view.ts';

type Flow = Steps<MachineView, MachineAction, Reason>;

/** For how long a Machine whose VM is gone stays for a Node that it is told it may not delete, milliseconds. */
const NODE_REFUSED_MS = 600_000;

/** What is known of a write when it is refused. */
export interface RefusedAttempt {
  step: string;
  action: MachineAction;
  /** By a policy of the API server's. */
  isByPolicy: boolean;
  /** For how long it has been judged already, and refused, milliseconds; 0 for one that nobody has judged now. */
  judgedMs: number;
}

/**
 * Whether a refused write holds up nothing; clocks that cannot be written hold up a drain, and a VM that is not on record its
 * deletion. A Node is left behind at once where a policy of the API server keeps it from going, or by force; else rights may come
 * late, and it has its time. A server that has too much to do, or a webhook that fails, has judged nothing: what is left behind for that stays for
 * good (hack/decisions/0048).
 */
export function standsBack({ machine }: MachineView, { step, action, isByPolicy, judgedMs }: RefusedAttempt): boolean {
  if (step === 'NodeDeleted') return isByPolicy || isForced(machine) || judgedMs >= NODE_REFUSED_MS;
  if (step === 'Located') return isForced(machine);
  return (traitsOf(step)?.refused ?? 'waits') !== 'waits' && action.do !== 'recordDeletion';
}

/** What makes a refused write be tried again before its time. */
export const refusalMark = (mark: string, machine: MachineView['machine']): string =>
  isForced(machine) ? `${mark}/forced` : mark;

/** The flow, in which what follows waits for no step that is passed over while its write is refused. */
export const unlessRefused = <S extends string>(flow: Readonly<Record<S, Flow[string]>>): typeof flow =>
  Object.fromEntries(
    Object.entries<Flow[string]>(flow).map(([name, step]) => [
      name,
      traitsOf(name)?.refused === 'passed' ? standingBack(name, step) : step,
    ]),
  ) as typeof flow;

const standingBack =
  (name: string, step: Flow[string]): Flow[string] =>
  (view) =>
    view.refused.has(name) ? pass : step(view);

/** A write that was refused, and does not stand back, is waited for; a VM is to be there in time all the same. */
export function unlessHalted(decision: Decision<MachineAction>, view: MachineView): Decision<MachineAction> {
  const { step, outcome } = decision;
  const halt = outcome.kind === 'act' ? view.halted.get(writeKey(step, outcome.action)) : undefined;
  if (!halt) return decision;
  const late = view.machine.metadata.deletionTimestamp ? undefined : overdue(view, halt.message);
  return { step, outcome: late ?? wait('WriteRefused', halt.retryAt - view.now, halt.message) };
}

/** Shows a step that stands back as what it is: not satisfied. */
export function refusedState({ refused }: MachineView, state: StepState): StepState {
  const refusal = refused.get(state.type);
  if (!refusal || state.status !== 'True') return state;
  return { type: state.type, status: 'False', reason: 'WriteRefused', message: refusal.message };
}

/** Milliseconds until a refused write is tried again. */
export const refusalLeft = ({ refused, now }: MachineView): number =>
  Math.min(...[...refused.values()].map(({ retryAt }) => retryAt - now));
