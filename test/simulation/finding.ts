/** What must hold, by name: after every step, or in the end. */
export type Invariant =
  | 'one VM a machine'
  | 'no VM is forgotten'
  | 'nothing is created on unknown'
  | 'a providerID never changes'
  | 'nothing happens to a paused machine'
  | 'a Node outlives no VM of its machine'
  | 'no VM goes before its pods'
  | 'no pod is lost that was bound before the cordon'
  | 'no more machines than allowed'
  | 'nothing is made for what is frozen'
  | 'nothing unexpected is thrown'
  | 'no VM of others is touched'
  | 'only orphans are swept'
  | 'what is retained stays'
  | 'nothing goes in an outage'
  | 'no machine is given up before its time'
  | 'no machine goes in an outage of its zone'
  | 'a phase follows from the one before'
  | 'each VM has a token of its own'
  | 'no more calls than allowed'
  | 'it does not run in circles'
  | 'everything settles';

/** An invariant that did not hold. */
export interface Finding {
  invariant: Invariant;
  /** What was seen. */
  says: string;
}

/** Takes findings; the run ends with the first. */
export class Findings {
  first: Finding | undefined;

  add(invariant: Invariant, says: string): void {
    this.first ??= { invariant, says };
  }
}
