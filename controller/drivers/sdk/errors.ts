/**
 * The error codes of a driver and what follows from each (hack/spec/mcm.md 9.2; hack/decisions/0000 6).
 * Names are an interface: they stand in `status.lastOperation.errorCode`, which the cluster-autoscaler reads; numbers are those of gRPC, as in MCM.
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

/**
 * What the controller does about an error: `transient` is retried soon, `exhausted` when the provider may have room again,
 * `permanent` when somebody has changed something, and every ten minutes, so that no code is final; `absent` and `uninitialized` say how the VM
 * stands.
 */
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
