import type { DriverMethod, VmAnswer } from '../../drivers/sdk/driver.ts';
import { type CodeClass, classOf, type DriverError } from '../../drivers/sdk/errors.ts';
import { BY_HAND_MS } from '../../flow/refusals.ts';
import { type Clock, wallOf } from '../../runtime/clock.ts';
import { Backoff } from '../../runtime/fairness/rate.ts';
import type { Random } from '../../runtime/random.ts';
import type { CallFailure, DeletionFact, VmFact } from '../flow/view.ts';
import type { ReportedVm } from '../flow/vmclaim.ts';

/** What back-off needs. */
export interface CallFailuresOptions {
  clock: Clock;
  random: Random;
  limits: { exhaustedRetryMs: number };
}

/** Whose call it was. */
export type Failed = Pick<Call, 'uid' | 'method' | 'mark'>;

/** Moments are those of the monotonic clock. */
type Kept = ReportedFailure & { mark: string };

const TRANSIENT_RETRY = { baseMs: 5_000, capMs: 180_000 };

/** Classes of codes that only a person can mend. */
const PERMANENT: ReadonlySet<CodeClass> = new Set(['permanent', 'absent']);

/**
 * What stands of the driver calls that failed, by Machine and method, and when each is tried again (hack/decisions/0000 6). What one method
 * answers ends the failures of others only where it shows that they are overcome: a creation that fails is asked about between
 * its tries, and each answer is that there is no VM.
 */
export class CallFailures {
  readonly #o: CallFailuresOptions;
  /** By UID; the latest failure last. */
  readonly #kept = new Map<string, Map<DriverMethod, Kept>>();
  readonly #backoff: Backoff;

  constructor(options: CallFailuresOptions) {
    this.#o = options;
    this.#backoff = new Backoff({ random: options.random, ...TRANSIENT_RETRY });
  }

  /** A call failed; answers with what stands of it, whose moments are those of the monotonic clock. */
  add({ uid, method, mark }: Failed, { code, message }: DriverError): CallFailure {
    const kept = this.#kept.get(uid) ?? new Map<DriverMethod, Kept>();
    const now = this.#o.clock.monotonic();
    const group = classOf(code, method);
    const retryAt = now + this.#retryAfter({ uid, method, group });
    const failure = { method, code, message, retryAt, permanent: PERMANENT.has(group) };
    const since = kept.get(method)?.since ?? now;
    const next = { ...stableFailure(kept.get(method), failure, now), since, mark };
    kept.delete(method);
    kept.set(method, next);
    this.#kept.set(uid, kept);
    return next;
  }

  /** A call succeeded, and the VM stands so since: what it shows to be overcome is forgotten, with its back-off. */
  overcome({ uid, method }: Pick<Failed, 'uid' | 'method'>, vm: VmFact): void {
    const isDone = vm.at === 'present' ? vm.initialized : vm.at === 'absent';
    this.#end(uid, method);
    if (vm.at === 'present') this.#end(uid, 'createMachine');
    if (isDone) this.#end(uid, 'initializeMachine');
  }

  /** The failures that stand, the latest first, by the wall clock; a changed mark allows a try at once. */
  of(uid: string, mark: string): CallFailure[] {
    const { clock } = this.#o;
    const all = [...(this.#kept.get(uid)?.values() ?? [])].reverse();
    return all.map((kept) => ({
      ...kept,
      ...(kept.since !== undefined && { since: wallOf(clock, kept.since) }),
      retryAt: wallOf(clock, kept.mark === mark ? kept.retryAt : clock.monotonic()),
    }));
  }

  /** Drops what stands of these methods; answers whether anything did. */
  drop(uid: string, methods: readonly DriverMethod[]): boolean {
    const failed = methods.filter((method) => this.#kept.get(uid)?.has(method));
    for (const method of failed) this.#end(uid, method);
    return failed.length > 0;
  }

  /** Drops what is known of a Machine that is gone. */
  forget(uid: string): void {
    for (const method of this.#kept.get(uid)?.keys() ?? []) this.#backoff.forget(nameOf(uid, method));
    this.#kept.delete(uid);
  }

  #end(uid: string, method: DriverMethod): void {
    const kept = this.#kept.get(uid);
    this.#backoff.forget(nameOf(uid, method));
    kept?.delete(method);
    if (kept?.size === 0) this.#kept.delete(uid);
  }

  #retryAfter({ uid, method, group }: { uid: string; method: DriverMethod; group: CodeClass }): number {
    if (group === 'exhausted') return this.#o.limits.exhaustedRetryMs;
    return PERMANENT.has(group) ? BY_HAND_MS : this.#backoff.next(nameOf(uid, method));
  }
}

const nameOf = (uid: string, method: DriverMethod): string => `${uid} ${method}`;

/** A call in flight; times are those of the monotonic clock. */
export interface InFlightCall {
  method: DriverMethod;
  since: number;
  /** Gives back its slot. */
  release: () => void;
  abort: AbortController;
  cancelled: boolean;
}

/** What is remembered of a Machine's calls, by the monotonic clock. */
export interface Memory {
  vm: VmFact;
  reported?: ReportedVm | undefined;
  /** Asked about the VM, the driver reported it. */
  shown?: true;
  /** The Node of the VM was seen. */
  registered?: true;
  /** The deletionTimestamp of the Machine for which this is; undefined for a Machine that is not being deleted. */
  leaving?: string | undefined;
  /** When that was first seen. */
  leavingSince?: number | undefined;
  inFlight?: InFlightCall | undefined;
  lastKnownState?: string | undefined;
  askedAt?: number | undefined;
  deletion?: DeletionFact | undefined;
  /** A creation ended without a word on whether there is a VM now. */
  lostAt?: number | undefined;
  retained?: true;
}

/** What the driver says of the VM; of one that is not there, since when it has said so. */
export function heard(memory: Memory, answer: Exclude<CallAnswer, { gone: true }>, now: number): void {
  const since = memory.vm.at === 'absent' ? memory.vm.since : now;
  memory.askedAt = now;
  memory.vm = answer ? { at: 'present', ...answer } : { at: 'absent', since };
  if (answer) memory.lostAt = undefined;
}

/**
 * A create call that ended like this may have made a VM that the controller does not know of. When the controller cancels a call, drivers
 * return errors of their own for that.
 */
export const mayHaveMade = ({ method, abort }: InFlightCall, { code }: DriverError): boolean =>
  method === 'createMachine' && (abort.signal.aborted || code === 'Canceled' || classOf(code, method) === 'transient');

/** A deletion was accepted: whether the VM is gone is not known yet. */
export function accepted(memory: Memory): void {
  if (memory.vm.at === 'present') memory.vm = { at: 'unknown' };
}

/** What was seen of the VM before says nothing about the one that was made now (hack/decisions/0051 L126). */
export function madeAnew(memory: Memory): void {
  delete memory.shown;
  delete memory.registered;
}

/** Nothing is known of a deletion, nor since it how the VM stands. */
export function revive(memory: Memory): void {
  Object.assign(memory, { vm: { at: 'unknown' }, deletion: undefined, askedAt: undefined } satisfies Memory);
  delete memory.retained;
}

/** What stands of a deletion that was answered. */
export const deletionAfter = ({ vm }: Memory, { isNamed }: Pick<Call, 'isNamed'>, at: number): DeletionFact => ({
  at,
  ...(vm.at === 'absent' && { denied: true }),
  ...(isNamed === false && { unnamed: true }),
});

/** A deletion that was asked for before the VM's id was on record: many drivers find no VM without one, and answer well. */
export const isOfUnnamed = (deletion: DeletionFact, { isNamed }: Pick<Call, 'isNamed'>): boolean =>
  deletion.unnamed === true && isNamed === true;

/** A VM that was claimed since is to be deleted by itself. */
export const deletionSince = (before: DeletionFact, method: DriverMethod, vm: VmFact): DeletionFact | undefined =>
  method === 'claimMachine' && vm.at === 'present' ? undefined : { ...before, heard: true };

/**
 * What a call brings back: the VM's identity; that its deletion was accepted; or nothing when there is none. `madeOf` is the hot part of
 * the spec that a new VM was made of, as canonical JSON.
 */
export type CallAnswer =
  | (VmAnswer & { initialized: boolean; assumed?: true; madeOf?: string; gone?: undefined })
  | { gone: true; lastKnownState?: string | undefined }
  | undefined;

/** One driver call to make for a Machine. */
export interface Call {
  uid: string;
  /** The Machine's key, enqueued by the answer. */
  key: string;
  /** Calls of one class share a bound: its UID, so that a class that is made again begins anew. */
  classKey: string;
  method: DriverMethod;
  /** Changes with the Machine, its class and its secret; a changed mark allows a retry at once. */
  mark: string;
  /** The id of the VM is on record. */
  isNamed?: boolean;
  run(signal: AbortSignal): Promise<CallAnswer>;
}

/** How long an error message is kept while only IDs in it change, milliseconds (hack/spec/mcm.md 6.4, "similar" status). */
const STABLE_MS = 1_800_000;

/** A failure, and when its message was first reported. */
export type ReportedFailure = CallFailure & { reportedAt: number };

/**
 * The failure with the message of the last one where only IDs differ: clouds put an ID of their own into each message, and
 * nothing is worth a write that differs in such an ID only.
 */
export function stableFailure(before: ReportedFailure | undefined, failure: CallFailure, now: number): ReportedFailure {
  const repeats =
    before !== undefined &&
    before.method === failure.method &&
    before.code === failure.code &&
    now - before.reportedAt < STABLE_MS &&
    isSameNews(before.message, failure.message);
  return repeats
    ? { ...failure, message: before.message, reportedAt: before.reportedAt }
    : { ...failure, reportedAt: now };
}

/** Equal but for words with a digit in them: ids, times, counts. */
export const isSameNews = (before: string, after: string): boolean => withoutIds(before) === withoutIds(after);

const withoutIds = (text: string): string => text.replace(/[\w-]+/g, (word) => (/\d/.test(word) ? '#' : word));

/** What a call left behind: its answer or its error. */
export interface Outcome {
  method: CallFailure['method'];
  answer?: CallAnswer;
  error?: DriverError;
  permanent?: boolean;
}

/**
 * `lastKnownState` after a call (hack/spec/mcm.md 6.4a, 6.7 S4): what the call tells; else a deletion and a creation that a person
 * must mend clear it, and anything else leaves it. An empty text is a cleared memo, undefined one that was never touched.
 */
export function lastKnownStateAfter(
  before: string | undefined,
  { method, answer, error, permanent }: Outcome,
): string | undefined {
  const told = answer?.lastKnownState ?? error?.known.lastKnownState;
  if (told) return told;
  const clears = method === 'deleteMachine' || (method === 'createMachine' && error !== undefined && permanent);
  return clears ? '' : before;
}
