/** One way in which a rule is broken. */
export interface Violation {
  /** Goes on after the rule's field, when something below it is wrong: `.matchExpressions[0].values`, `[example.io/key]`. */
  at?: string;
  /** What is wrong there, in place of the rule's sentence. */
  message?: string;
}
