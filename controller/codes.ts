/**
 * The error codes of a driver and what follows from each (MCM 9.2; decisions "Drivers": behaviour by class).
 * Numbers, names and the text form are an interface: machine controllers of MCM write them, the cluster-autoscaler reads them.
 */

import type { VmOwner } from './driver.ts';

/** Every code by name, with its number on the wire. */
export const codes = {
  OK: 0,
  Canceled: 1,
  Unknown: 2,
  InvalidArgument: 3,
  DeadlineExceeded: 4,
  NotFound: 5,
  AlreadyExists: 6,
  PermissionDenied: 7,
  ResourceExhausted: 8,
  FailedPrecondition: 9,
  Aborted: 10,
  OutOfRange: 11,
  Unimplemented: 12,
  Internal: 13,
  Unavailable: 14,
  DataLoss: 15,
  Unauthenticated: 16,
  Uninitialized: 17,
} as const;

/** A code's name. */
export type Code = keyof typeof codes;

/** What the controller does about an error: retry soon, retry when capacity may be back, wait for a person, or no error at all. */
export type CodeClass = 'transient' | 'exhausted' | 'permanent' | 'absent' | 'uninitialized';

const classes: Partial<Record<Code, CodeClass>> = {
  Unknown: 'transient',
  DeadlineExceeded: 'transient',
  Aborted: 'transient',
  Unavailable: 'transient',
  ResourceExhausted: 'exhausted',
  NotFound: 'absent',
  Uninitialized: 'uninitialized',
};

/** Codes that mean something else when a certain method answers them. */
const exceptions: Readonly<Record<string, CodeClass>> = {
  'initializeMachine/Internal': 'transient',
  'getMachineStatus/OutOfRange': 'transient',
};

/** The class of `code` when `method` answered it; a code without a class of its own is permanent. */
export const classOf = (code: Code, method: string): CodeClass =>
  exceptions[`${method}/${code}`] ?? classes[code] ?? 'permanent';

/** An error with a code, the only kind of error a driver should throw; anything else counts as Unknown. */
export class DriverError extends Error {
  readonly code: Code;
  /** What the driver knows of the VM all the same: an Uninitialized VM has a providerID. */
  readonly known: { providerID?: string; nodeName?: string; lastKnownState?: string; owner?: VmOwner };

  constructor(code: Code, message: string, options: { cause?: unknown; known?: DriverError['known'] } = {}) {
    super(message, { cause: options.cause });
    this.name = 'DriverError';
    this.code = code;
    this.known = options.known ?? {};
  }
}

/** Any thrown value as a DriverError: an aborted call is DeadlineExceeded, what a driver did not classify, or called OK, is Unknown. */
export function toDriverError(thrown: unknown): DriverError {
  if (thrown instanceof DriverError && thrown.code !== 'OK') return thrown;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  const timedOut = thrown instanceof Error && (thrown.name === 'TimeoutError' || thrown.name === 'AbortError');
  return new DriverError(timedOut ? 'DeadlineExceeded' : 'Unknown', message, { cause: thrown });
}

/** MCM's text form, which its own machinery parses back. */
export const encode = ({ code, message }: Pick<DriverError, 'code' | 'message'>): string =>
  `machine codes error: code = [${code}] message = [${message}]`;

/**
 * Reads MCM's text form: exactly two top-level bracket groups, the code's name and the message (MCM 9.2).
 * Returns undefined for any other text; an unknown name is Unknown.
 */
export function decode(text: string): { code: Code; message: string } | undefined {
  const groups = bracketGroups(text);
  const [name, message] = groups;
  if (groups.length !== 2 || name === undefined || message === undefined) return undefined;
  return { code: Object.hasOwn(codes, name) ? (name as Code) : 'Unknown', message };
}

function bracketGroups(text: string): string[] {
  const groups: string[] = [];
  let depth = 0;
  let start = 0;
  for (const [at, char] of [...text].entries()) {
    if (char === '[' && depth++ === 0) start = at + 1;
    if (char === ']' && depth > 0 && --depth === 0) groups.push([...text].slice(start, at).join(''));
  }
  return depth === 0 ? groups : [];
}
