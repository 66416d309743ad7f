/** Policies of admission that the API server itself judges by (ValidatingAdmissionPolicy); their files are generated. */

/** One policy, which denies; what cannot be judged is refused. */
export interface Policy {
  /** Ends its name. */
  id: string;
  /** One line for whoever reviews it. */
  why: string;
  /** What it is asked about, of any namespace. */
  asked: ReadonlyArray<{ group: string; version: string; resources: readonly string[]; operations: readonly Write[] }>;
  /** Named CEL expressions: it is judged only if all of them are true. */
  only?: Readonly<Record<string, string>>;
  /** Named CEL expressions, each may use those before it as `variables.<name>`. */
  variables?: Readonly<Record<string, string>>;
  judged: readonly Judged[];
}

type Write = 'CREATE' | 'UPDATE' | 'DELETE';

/** What must hold. */
export interface Judged {
  /** CEL that is true when it does. */
  holds: string;
  /** What whoever wrote it reads when it does not. */
  says: string;
  /** CEL of a text that says it better, by the object at hand. */
  saysOf?: string;
}

/** A text as CEL. */
export const celText = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

/** Texts as a list in CEL. */
export const celTexts = (texts: readonly string[]): string => `[${texts.map(celText).join(', ')}]`;
