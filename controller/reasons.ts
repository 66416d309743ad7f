/** What one reason of a decision means. */
export interface ReasonRow {
  /** One sentence for people, without the step's name. */
  says: string;
  /** The kind of event that tells of it when it begins to decide; without one, status and log tell alone. */
  event?: 'Normal' | 'Warning';
}

/** The reasons of a kind's decisions by name: in status, events, log, metrics and the reference. */
export type ReasonTable = Readonly<Record<string, ReasonRow>>;

/** The steps of a kind's flows by name, each with a sentence that says when it is satisfied. */
export type StepTable = Readonly<Record<string, string>>;

/** Reasons of more than one kind. */
export const sharedReasons = {
  Paused: {
    says: 'The object carries the annotation `cluster.x-k8s.io/paused`: nothing is done for it.',
    event: 'Normal',
  },
  AddFinalizer: { says: 'The finalizer is put on, so that nothing is forgotten.' },
  RemoveFinalizer: { says: 'Nothing is left that the object had: the finalizer is taken off, and it goes.' },
  NotOurs: { says: 'The object is being deleted without our finalizer: whoever holds it does the rest.' },
} as const satisfies ReasonTable;

/** Reasons of owners that pick their children by selector. */
export const selectingReasons = {
  SelectorEmpty: { says: 'The selector is empty: it would take every object.', event: 'Warning' },
  SelectorInvalid: { says: 'The selector cannot be read.', event: 'Warning' },
  SelectorMismatch: {
    says: 'The selector does not match the labels of the template: nothing that is made would count.',
    event: 'Warning',
  },
  Release: { says: 'Children that the selector no longer matches are let go.' },
  Adopt: { says: 'Children without an owner that the selector matches are taken in.' },
} as const satisfies ReasonTable;
