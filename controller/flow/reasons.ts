import { type Decision, reasonOf } from './flow.ts';

/** What one reason of a decision means. */
export interface ReasonRow {
  /** One sentence for people, without the step's name. */
  says: string;
  /** The kind of event that tells of it when it begins to decide; without one, status and log tell alone. */
  event?: 'Normal' | 'Warning';
  /** The event's own reason, where MCM has another word for it (MCM 10.1). */
  eventReason?: string;
  /** Done again and again as a matter of routine: no news to the log. */
  routine?: true;
}

/** An event on an object. */
export interface Note {
  type: 'Normal' | 'Warning';
  reason: string;
  note: string;
}

/** Events beside those of reasons: what they tell, by their own reason. */
export type EventTable = Readonly<Record<string, { type: Note['type']; says: string }>>;

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
  return [{ type: row.event, reason: row.eventReason ?? reason, note: message ?? row.says }];
}

/** The reasons of a kind's decisions by name: in status, events, log, metrics and the reference. */
export type ReasonTable = Readonly<Record<string, ReasonRow>>;

/** The steps of a kind's flows by name, each with a sentence that says when it is satisfied. */
export type StepTable = Readonly<Record<string, string>>;

/** Reasons of more than one kind. */
export const sharedReasons = {
  Paused: {
    says: 'The object carries the annotation `cluster.x-k8s.io/paused`, `vmoperator.vmware.com/paused` or `protected.drover.dev/paused`: nothing is done for it, its deletion included.',
    event: 'Normal',
  },
  AddFinalizer: { says: 'The finalizer is put on, so that nothing is forgotten.' },
  RemoveFinalizer: { says: 'Nothing is left that the object had: the finalizer is taken off, and it goes.' },
  SpecInvalid: {
    says: 'The spec cannot come true, although nobody refused it: what would carry it out stands still.',
    event: 'Warning',
  },
  ControlAway: {
    says: 'The API server that holds the machines is away, or its watches are: nothing is made, judged or taken away.',
    event: 'Warning',
  },
  TargetAway: {
    says: 'The API server of the machines’ cluster is away, or its watches are: nothing is judged or taken away.',
    event: 'Warning',
  },
  NotOurs: { says: 'The object is being deleted without our finalizer: whoever holds it does the rest.' },
} as const satisfies ReasonTable;

/** Reasons of what can be frozen (decisions 7). */
export const freezeReasons = {
  MarkFrozen: { says: 'The label `freeze` is put on.' },
  UnmarkFrozen: { says: 'The label `freeze` is taken off.' },
  ForgetUnfreeze: {
    says: 'What the annotation `safety.machine.sapcloud.io/unfreeze` asks for is done: it is taken off.',
  },
} as const satisfies ReasonTable;

/** Reasons of owners that pick their children by selector. */
export const selectingReasons = {
  SelectorEmpty: { says: 'The selector is empty: it would take every object.', event: 'Warning' },
  SelectorInvalid: { says: 'The selector cannot be read, or is too large to be judged.', event: 'Warning' },
  SelectorMismatch: {
    says: 'The selector does not match the labels of the template: nothing that is made would count.',
    event: 'Warning',
  },
  Release: { says: 'Children that the selector no longer matches are let go.' },
  Adopt: { says: 'Children without an owner that the selector matches are taken in.' },
  DeletionRefused: {
    says: 'The object is being deleted, and children that have to go before it may not be deleted: that is tried again each minute, and sooner where it was answered with 409, 429 or 5xx, after 2 seconds and then twice as long each time.',
    event: 'Warning',
  },
  OrphanChildren: {
    says: 'The object is deleted with `--cascade=orphan`: it goes, and what it had stays; the garbage collector lets that go.',
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
