/** Policies of admission that the API server itself judges by (ValidatingAdmissionPolicy); their files are generated. */

/** One policy, which denies; what cannot be judged is refused. */
export interface Policy {
  /** Ends its name, or begins that of one for an account. */
  id: string;
  /** Only what the account of this program writes; what everybody writes when absent. */
  account?: 'controller' | 'webhook';
  /** One line for whoever reviews it. */
  why: string;
  /** What it is asked about, of any namespace. */
  asked: ReadonlyArray<{ group: string; version: string; resources: readonly string[]; operations: readonly Write[] }>;
  /** Named CEL expressions: it is judged only if all of them are true. */
  only?: Readonly<Record<string, string>>;
  /** Named CEL expressions, each may use those before it as `variables.<name>`. */
  variables?: Readonly<Record<string, string>>;
  judged: readonly Validation[];
}

type Write = 'CREATE' | 'UPDATE' | 'DELETE';

/** What must hold. */
export interface Validation {
  /** CEL that is true when it does. */
  expression: string;
  /** What whoever wrote it reads when it does not. */
  message: string;
  /** CEL of a text that says it better, by the object at hand. */
  messageExpression?: string;
}

/** A text as CEL. */
export const celText = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

/** Texts as a list in CEL. */
export const celTexts = (texts: readonly string[]): string => `[${texts.map(celText).join(', ')}]`;

/** A ServiceAccount. */
export interface Account {
  namespace: string;
  name: string;
}

/** How the API server calls a ServiceAccount. */
export const usernameOf = ({ namespace, name }: Account): string => `system:serviceaccount:${namespace}:${name}`;

const ACCOUNT = /^system:serviceaccount:([-.a-z0-9]{1,253}):([-.a-z0-9]{1,253})$/;

/** The account that a username is of; undefined for a user who is none. */
export function accountOf(username: string): Account | undefined {
  const [, namespace, name] = ACCOUNT.exec(username) ?? [];
  return namespace && name ? { namespace, name } : undefined;
}

/** The name of a policy for an account, and of its binding: who uses the account finds out whether they are there. */
export const accountPolicyName = (id: string, { namespace, name }: Account): string =>
  `${id}.${name}.${namespace}.drover.dev`;

/** The policy by which the controller touches no Nodes but its own; one that every target should have. */
export const NODES_POLICY = 'nodes';
