import { type Decision, pass, type StepState, type Steps, wait } from '../../flow/flow.ts';
import { type RefusedAction, RefusedActions, Repeats, type Streak } from '../../flow/refusals.ts';
import { overdue } from './launch.ts';
import { isForced } from './predicates.ts';
import type { Reason } from './reasons.ts';
import { traitsOf } from './steptraits.ts';
import { type Halts, type MachineAction, type MachineView, type Refusal, writeKey } from './view.ts';

type Flow = Steps<MachineView, MachineAction, Reason>;

/** For how long a Machine whose VM is gone stays for a Node that it is told it may not delete, milliseconds. */
const NODE_REFUSED_MS = 600_000;

/** What is known of a write when it is refused. */
export interface RefusedAttempt {
  step: string;
  action: MachineAction;
  /** By a policy of the API server's. */
  isByPolicy: boolean;
  /** For how long the write has been refused already, milliseconds; 0 if the last failure was no refusal. */
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
  if (step === 'VMLocated') return isForced(machine);
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

/** A write that was refused. */
interface RememberedRefusal extends RefusedAction {
  step: string;
  message: string;
  /** Changes with whatever the write may have been made from. */
  mark: string;
  /** The step stands back: it holds up nothing behind it. */
  standsBack: boolean;
  streak: JudgedStreak;
}

/** Since when the write is refused; absent if the last failure was no refusal. */
type JudgedStreak = Streak & { judgedSince?: number };

/** The same moment on both clocks. */
interface Moment {
  now: number;
  monotonic: number;
}

/** Remembers which writes were refused, so that none is tried again at once, and that those that may hold up nothing do not. */
export class RefusedWrites {
  readonly repeats = new Repeats();
  readonly #byMachine = new RefusedActions<RememberedRefusal>();

  /** How often the write came to nothing before; undefined when it was not, or of other facts. */
  streakOf(uid: string, { write, mark }: { write: string; mark: string }): JudgedStreak | undefined {
    const known = this.#byMachine.of(uid, write);
    return known?.mark === mark ? known.streak : undefined;
  }

  /** @param write see `writeKey` */
  add(uid: string, write: string, refused: RememberedRefusal): void {
    this.#byMachine.add(uid, write, refused);
  }

  /**
   * What is not retried yet: steps that were skipped because their write was refused, and writes that hold up the steps behind them. A
   * write that was refused in other circumstances is retried at once.
   */
  of(
    uid: string,
    { mark, ...at }: Moment & { mark: string },
  ): { refused: ReadonlyMap<string, Refusal>; halted: Halts } {
    const holding = [...this.#byMachine.at(uid, at.monotonic)].filter(([, refused]) => refused.mark === mark);
    const refused = new Map<string, Refusal>();
    const halted = new Map<string, Refusal>();
    for (const [write, { step, message, retryAt, standsBack }] of holding) {
      const refusal = { message, retryAt: at.now + (retryAt - at.monotonic) };
      if (standsBack) refused.set(step, refusal).set(write, refusal);
      else halted.set(write, refusal);
    }
    return { refused, halted };
  }

  /** The write has succeeded. */
  overcome(uid: string, write: string): void {
    this.#byMachine.overcome(uid, write);
  }

  /** The Machine is gone. */
  forget(uid: string): void {
    this.#byMachine.forget(uid);
    this.repeats.end(uid);
  }
}
