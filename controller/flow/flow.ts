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
export const RECONCILED = 'Reconciled';

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
  return { step: RECONCILED, outcome: pass };
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
  const at = decider === RECONCILED ? names.length : names.indexOf(decider);
  return names.map((type, index): StepState => {
    if (index < at) return { type, status: 'True', reason: type, message: '' };
    if (index > at)
      return { type, status: 'Unknown', reason: 'WaitingForPreviousStep', message: `comes after ${decider}` };
    return { type, status: 'False', reason: outcome.kind === 'pass' ? type : outcome.reason, message };
  });
}

/** What one reason of a decision means. */
export interface ReasonRow {
  /** One sentence for people, without the step's name. */
  help: string;
  /** The kind of event that tells of it when it begins to decide; without one, status and log tell alone. */
  event?: 'Normal' | 'Warning';
  /** The event's own reason, where MCM has another word for it (hack/spec/mcm.md 10.1). */
  eventReason?: string;
  /** Done again and again as a matter of routine: no news to the log. */
  routine?: true;
  /** What is deleted, and waits for this, stays until somebody acts: nothing else ends it. */
  stays?: true;
}

/** An event on an object. */
export interface Note {
  type: 'Normal' | 'Warning';
  reason: string;
  note: string;
}

/** Events beside those of reasons: what they tell, by their own reason. */
export type EventTable = Readonly<Record<string, { type: Note['type']; help: string }>>;

/** An event of a table. */
export const eventOf = <T extends EventTable>(table: T, reason: keyof T & string, note: string): Note => ({
  type: table[reason]?.type ?? 'Normal',
  reason,
  note,
});

/** The event that tells of a decision, if the row of its reason asks for one; without a message the row speaks. */
export function noteOf(table: ReasonTable, decision: Decision<unknown>): Note[] {
  const reason = reasonOf(decision);
  const row = table[reason];
  if (!row?.event) return [];
  const { outcome } = decision;
  const message = 'message' in outcome ? outcome.message : undefined;
  return [{ type: row.event, reason: row.eventReason ?? reason, note: message ?? row.help }];
}

/** The reasons of a kind's decisions by name: in status, events, log, metrics and the reference. */
export type ReasonTable = Readonly<Record<string, ReasonRow>>;

/** The steps of a kind's flows by name, each with a sentence that says when it is satisfied. */
export type StepTable = Readonly<Record<string, string>>;

/** Reasons of more than one kind. */
export const sharedReasons = {
  Paused: {
    help: 'The object carries the annotation `cluster.x-k8s.io/paused`, `vmoperator.vmware.com/paused` or `protected.drover.dev/paused`: nothing is done for it, its deletion included.',
    event: 'Normal',
    stays: true,
  },
  AddFinalizer: { help: 'The finalizer is put on, so that nothing is forgotten.' },
  RemoveFinalizer: { help: 'Nothing is left that the object had: the finalizer is taken off, and it goes.' },
  SpecInvalid: {
    help: 'The spec cannot come true, although nobody refused it: what would carry it out stands still.',
    event: 'Warning',
  },
  ControlClusterUnreachable: {
    help: 'The API server that holds the machines is unreachable, or its watches are silent: nothing is made, judged or taken away.',
    event: 'Warning',
  },
  TargetClusterUnreachable: {
    help: 'The API server of the machines’ cluster is unreachable, or its watches are silent: nothing is judged or taken away.',
    event: 'Warning',
  },
  FinalizerMissing: {
    help: 'The object is being deleted without our finalizer: whoever holds it does the rest.',
  },
} as const satisfies ReasonTable;

/** Reasons of what can be frozen (hack/decisions/0000 7). */
export const freezeReasons = {
  AddFreezeLabel: { help: 'The label `freeze` is put on.' },
  RemoveFreezeLabel: { help: 'The label `freeze` is taken off.' },
  RemoveUnfreezeAnnotation: {
    help: 'What the annotation `safety.machine.sapcloud.io/unfreeze` asks for is done: it is taken off.',
  },
} as const satisfies ReasonTable;

/** Reasons of owners that pick their children by selector. */
export const selectingReasons = {
  SelectorEmpty: { help: 'The selector is empty: it would take every object.', event: 'Warning' },
  SelectorInvalid: { help: 'The selector cannot be read, or is too large to be judged.', event: 'Warning' },
  SelectorMismatch: {
    help: 'The selector does not match the labels of the template: nothing that is made would count.',
    event: 'Warning',
  },
  ReleaseChildren: { help: 'Children that the selector no longer matches are let go.' },
  AdoptChildren: { help: 'Children without an owner that the selector matches are taken in.' },
  DeletionRefused: {
    help: 'The object is being deleted, and children that have to go before it may not be deleted: that is tried again each minute, and sooner where it was answered with 409, 429 or 5xx, after 2 seconds and then twice as long each time.',
    event: 'Warning',
  },
  OrphanChildren: {
    help: 'The object is deleted with `--cascade=orphan`: it goes, and what it had stays; the garbage collector lets that go.',
    event: 'Normal',
  },
} as const satisfies ReasonTable;

/** So many are named. */
const NAMED = 3;

/** Names for people to read: three of them, and how many others there are. */
export function named(names: readonly string[]): string {
  const others = names.length - NAMED;
  return others > 0 ? `${names.slice(0, NAMED).join(', ')} and ${others} more` : names.join(', ');
}

/** How many others there are: `1 other`, `3 others`. */
export const othersOf = (count: number): string => `${count} other${count === 1 ? '' : 's'}`;

/** What is said of one, and of how many others it is true: `no room (and 1 other)`. */
export const withOthers = (text: string, others: number): string =>
  others > 0 ? `${text} (and ${othersOf(others)})` : text;
