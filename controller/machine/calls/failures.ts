import type { DriverMethod } from '../../drivers/sdk/driver.ts';
import { type CodeClass, classOf, type DriverError } from '../../drivers/sdk/errors.ts';
import { type Clock, wallOf } from '../../runtime/clock.ts';
import { Backoff } from '../../runtime/fairness/rate.ts';
import type { Random } from '../../runtime/random.ts';
import type { CallFailure, VmFact } from '../flow/view.ts';
import type { Call } from './callmemory.ts';
import { retold, type Told } from './retelling.ts';

/** What back-off needs. */
export interface CallFailuresOptions {
  clock: Clock;
  random: Random;
  limits: { exhaustedRetryMs: number };
}

/** Whose call it was. */
export type Failed = Pick<Call, 'uid' | 'method' | 'mark'>;

/** Moments are those of the monotonic clock. */
type Kept = Told & { mark: string };

const PERMANENT_RETRY_MS = 600_000;
const TRANSIENT_RETRY = { baseMs: 5_000, capMs: 180_000 };

/** Classes of codes that only a person can mend. */
const PERMANENT: ReadonlySet<CodeClass> = new Set(['permanent', 'absent']);

/**
 * What stands of the driver calls that failed, by Machine and method, and when each is tried again (decisions 6). What one method
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
    const next = { ...retold(kept.get(method), failure, now), mark };
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
      retryAt: wallOf(clock, kept.mark === mark ? kept.retryAt : clock.monotonic()),
    }));
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
    return PERMANENT.has(group) ? PERMANENT_RETRY_MS : this.#backoff.next(nameOf(uid, method));
  }
}

const nameOf = (uid: string, method: DriverMethod): string => `${uid} ${method}`;
