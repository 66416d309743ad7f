import type { Machine } from '../../../schemas/machine.ts';
import { type DriverMethod, deadlines } from '../../drivers/sdk/driver.ts';
import { type DriverError, toDriverError } from '../../drivers/sdk/errors.ts';
import { type Lookup, secretKeysOf } from '../../model/class.ts';
import { type Clock, wallOf } from '../../runtime/clock.ts';
import type { Sharing } from '../../runtime/fairness/sharing.ts';
import type { KubeObject } from '../../runtime/k8s/object.ts';
import type { Log } from '../../runtime/observability/log.ts';
import type { Random } from '../../runtime/random.ts';
import type { CallsFact, ClassFact, VmFact } from '../flow/view.ts';
import type { ReportedVm } from '../flow/vmclaim.ts';
import {
  accepted,
  type Call,
  type CallAnswer,
  CallFailures,
  deletionAfter,
  deletionSince,
  heard,
  type InFlightCall,
  isOfUnnamed,
  lastKnownStateAfter,
  type Memory,
  madeAnew,
  mayHaveMade,
  revive,
} from './failures.ts';
import { CallSlots, type SlotFor, type SlotLimits } from './limiter.ts';

/** How calls are bounded and retried; times in milliseconds. */
export interface CallLimits extends SlotLimits {
  exhaustedRetryMs: number;
}

/** How a call ended: an error, unless it succeeded or was cancelled. */
export interface CallEnd {
  call: Call;
  ms: number;
  error?: DriverError | undefined;
  /** The driver cannot tell how VMs stand. */
  assumed?: boolean;
}

/** What calls need: how their answers enqueue a key, and how they are bounded. */
export interface InFlightCallsOptions {
  clock: Clock;
  random: Random;
  log: Log;
  limits: CallLimits;
  /** Enqueues a Machine's key. */
  enqueue: (key: string) => void;
  /** Among whom the calls are shared that may be in flight; all Machines alike when absent. */
  sharing?: Sharing;
  /** Hears of each call that ended, but for those that were cancelled. */
  ended?: (end: CallEnd) => void;
}

/** Methods for which NotFound is a valid answer. */
const NOT_FOUND_ANSWERS: ReadonlySet<DriverMethod> = new Set([
  'getMachineStatus',
  'retainMachine',
  'deleteMachine',
  'claimMachine',
]);

/** Methods whose answers tell whose a VM is. */
const TELLING: ReadonlySet<DriverMethod> = new Set(['createMachine', 'getMachineStatus', 'claimMachine']);

/** Methods after which there may be a VM that was not there, or not ready, before. */
const MAKES: ReadonlySet<DriverMethod> = new Set(['createMachine', 'initializeMachine']);

/** Methods that are called of Machines that leave alone. */
const ENDS: readonly DriverMethod[] = ['deleteMachine', 'retainMachine'];

/** How long a driver may take to give up a call. */
const GRACE_MS = 30_000;

/**
 * Driver calls in flight, by Machine UID: at most one each, none awaited by a worker. An answer is kept and enqueues
 * the Machine's key. What is kept dies with the process; a new one asks the driver again.
 */
export class InFlightCalls {
  readonly #memories = new Map<string, Memory>();
  readonly #slots: CallSlots;
  readonly #failures: CallFailures;
  readonly #o: InFlightCallsOptions;

  constructor(o: InFlightCallsOptions) {
    this.#o = o;
    this.#slots = new CallSlots(o);
    this.#failures = new CallFailures(o);
  }

  /** What the driver last said of the VM. */
  vm(uid: string): VmFact {
    const vm = this.#memories.get(uid)?.vm ?? { at: 'unknown' };
    return vm.at === 'absent' ? { ...vm, since: this.#wall(vm.since) } : vm;
  }

  /** The driver's last word in this process on whose VM the Machine's is; kept when the VM is gone, or in doubt. */
  reported(uid: string): ReportedVm | undefined {
    return this.#memories.get(uid)?.reported;
  }

  /** How the Machine's calls stand; `mark` as in {@link Call}. */
  fact({ uid, mark, ...about }: Omit<Call, 'run' | 'method'>): CallsFact {
    const memory = this.#memories.get(uid);
    const full = this.#slots.full(about);
    if (!memory) return { full };
    const { inFlight, askedAt, deletion, retained, lastKnownState, reported, shown, registered, lostAt } = memory;
    const { leavingSince } = memory;
    const [failure, ...earlier] = this.#failures.of(uid, mark);
    return {
      full,
      ...(deletion && !isOfUnnamed(deletion, about) && { deletion: { ...deletion, at: this.#wall(deletion.at) } }),
      ...(retained && { retained }),
      ...(reported && { known: true }),
      ...(shown && { shown }),
      ...(registered && { registered }),
      ...(lostAt !== undefined && { lostAt: this.#wall(lostAt) }),
      ...(leavingSince !== undefined && { leavingSince: this.#wall(leavingSince) }),
      ...(inFlight && { inFlight: { ...inFlightFact(inFlight), since: this.#wall(inFlight.since) } }),
      ...(failure && { failure }),
      ...(earlier.length > 0 && { earlier }),
      ...(askedAt !== undefined && { askedAt: this.#wall(askedAt) }),
      ...(lastKnownState !== undefined && { lastKnownState }),
    };
  }

  /**
   * Starts the call unless one is in flight for the Machine; its answer enqueues the key. Without a slot it is not started, for others
   * may have come since that was looked at: then the key waits for one.
   */
  start(call: Call): void {
    const memory = this.#memory(call.uid);
    const release = memory.inFlight ? undefined : this.#slots.enter(call);
    if (!release) return;
    const flight = {
      method: call.method,
      since: this.#o.clock.monotonic(),
      release,
      abort: new AbortController(),
      cancelled: false,
    };
    memory.inFlight = flight;
    void this.#run(call, memory, flight);
  }

  /** Tells the call in flight to give up. It stays in flight until the driver has let go. */
  cancel(uid: string): void {
    const flight = this.#memories.get(uid)?.inFlight;
    if (!flight || flight.cancelled) return;
    flight.cancelled = true;
    flight.abort.abort(new DOMException('its answer is no longer needed', 'AbortError'));
  }

  /** Enqueues the key as soon as there is a slot for such a call. */
  awaitSlot(call: SlotFor): void {
    this.#slots.await(call);
  }

  /** The key wants no slot any more: what is kept for it goes to others. */
  leaveSlot(key: string): void {
    this.#slots.leave(key);
  }

  /** The call of this Machine that is in flight. */
  inFlight(uid: string): DriverMethod | undefined {
    return this.#memories.get(uid)?.inFlight?.method;
  }

  /** Whether the Machine has a VM, by the driver's last word, or one is being made. */
  hasVmOrMakes(uid: string): boolean {
    return this.vm(uid).at === 'present' || MAKES.has(this.inFlight(uid) ?? 'deleteMachine');
  }

  /** How many calls of each method are in flight. */
  countByMethod(): ReadonlyMap<DriverMethod, number> {
    const counts = new Map<DriverMethod, number>();
    for (const { inFlight } of this.#memories.values())
      if (inFlight) counts.set(inFlight.method, (counts.get(inFlight.method) ?? 0) + 1);
    return counts;
  }

  /**
   * Drops what was called for another deletion of the Machine than that which it is in: a backup of the store may have brought it back in
   * between, and one that lives is in none (hack/decisions/0051 L117, L121). How its VM stands since, the driver is asked anew.
   */
  syncDeletion({ uid = '', deletionTimestamp }: Machine['metadata']): void {
    const memory = deletionTimestamp ? this.#memory(uid) : this.#memories.get(uid);
    if (!memory || memory.leaving === deletionTimestamp) return;
    memory.leaving = deletionTimestamp;
    memory.leavingSince = deletionTimestamp ? this.#o.clock.monotonic() : undefined;
    const hasFailed = this.#failures.drop(uid, ENDS);
    if (memory.inFlight && ENDS.includes(memory.inFlight.method)) this.cancel(uid);
    if (hasFailed || memory.deletion || memory.retained) revive(memory);
  }

  /** The Node of the Machine's VM has been seen: its VM is no young one any longer (hack/decisions/0051 L119). */
  noteRegistered(uid: string): void {
    this.#memory(uid).registered = true;
  }

  /** Drops what is known of a Machine that is gone. */
  forget(uid: string): void {
    this.#memories.get(uid)?.inFlight?.abort.abort();
    this.#memories.delete(uid);
    this.#failures.forget(uid);
  }

  async #run(call: Call, memory: Memory, flight: InFlightCall): Promise<void> {
    const { clock } = this.#o;
    const expire = () => flight.abort.abort(new DOMException(`${call.method} took too long`, 'TimeoutError'));
    const stop = clock.after(deadlines[call.method], expire);
    let error: DriverError | undefined;
    try {
      this.#succeeded(call, memory, await Promise.race([call.run(flight.abort.signal), this.#abandoned(flight)]));
    } catch (thrown) {
      const failure = toDriverError(thrown);
      if (mayHaveMade(flight, failure)) memory.lostAt = clock.monotonic();
      const isAbsent = !flight.cancelled && saysAbsent(call, failure);
      if (!flight.cancelled && !isAbsent) error = failure;
      if (isAbsent) this.#succeeded(call, memory, undefined);
      else this.#failed(call, memory, error);
    } finally {
      stop();
      memory.inFlight = undefined;
      flight.release();
      this.#o.enqueue(call.key);
      if (!flight.cancelled)
        this.#o.ended?.({ call, ms: clock.monotonic() - flight.since, error, assumed: isAssumed(memory.vm) });
    }
  }

  /**
   * Rejects when a driver has not returned some time after its call was canceled: what it has done by then counts, because others are not
   * waited for (`inTime`).
   */
  #abandoned({ abort }: InFlightCall): Promise<never> {
    return new Promise((_, reject) => {
      const giveUp = () => this.#o.clock.after(GRACE_MS, () => reject(abort.signal.reason));
      abort.signal.addEventListener('abort', giveUp, { once: true });
    });
  }

  #succeeded(call: Call, memory: Memory, answer: CallAnswer): void {
    const now = this.#o.clock.monotonic();
    if (memory.inFlight?.cancelled && ENDS.includes(call.method)) {
      revive(memory);
      return;
    }
    if (answer?.gone) accepted(memory);
    else heard(memory, answer, now);
    if (call.method === 'deleteMachine') memory.deletion = deletionAfter(memory, call, now);
    else if (memory.deletion) memory.deletion = deletionSince(memory.deletion, call.method, memory.vm);
    this.#failures.overcome(call, memory.vm);
    if (memory.vm.at === 'present' && TELLING.has(call.method)) {
      memory.reported = memory.vm;
      if (call.method !== 'createMachine') memory.shown = true;
      else madeAnew(memory);
    }
    memory.lastKnownState = lastKnownStateAfter(memory.lastKnownState, { method: call.method, answer });
    if (call.method === 'retainMachine' && answer) memory.retained = true;
  }

  /**
   * After an error the state of the VM is in doubt, except for an initialization that was not finished. A canceled call counts as no
   * failure.
   */
  #failed(call: Call, memory: Memory, error: DriverError | undefined): void {
    const { key, method } = call;
    // Where there was none before it, a deletion that fails makes none.
    const isAbsent = error !== undefined && method === 'deleteMachine' && memory.vm.at === 'absent';
    if (!isAbsent && (method !== 'initializeMachine' || !error)) memory.vm = { at: 'unknown' };
    if (method === 'deleteMachine') memory.deletion = undefined;
    if (!error) return;
    // The VM may be another's by now.
    if (error.code === 'FailedPrecondition') memory.reported = undefined;
    const { permanent } = this.#failures.add(call, error);
    memory.lastKnownState = lastKnownStateAfter(memory.lastKnownState, { method, error, permanent });
    this.#o.log.warn('driver call failed', { machine: key, method, code: error.code, error });
  }

  #wall(moment: number): number {
    return wallOf(this.#o.clock, moment);
  }

  #memory(uid: string): Memory {
    const known = this.#memories.get(uid);
    if (known) return known;
    const fresh: Memory = { vm: { at: 'unknown' } };
    this.#memories.set(uid, fresh);
    return fresh;
  }
}

const isAssumed = (vm: VmFact): boolean => vm.at === 'present' && vm.assumed === true;

const inFlightFact = ({ method, since, cancelled }: InFlightCall): NonNullable<CallsFact['inFlight']> =>
  cancelled ? { method, since, cancelled } : { method, since };

/** NotFound of a method that looks for the VM is an answer; of one that makes or changes it, an error. */
const saysAbsent = ({ method }: Call, { code }: DriverError): boolean =>
  code === 'NotFound' && NOT_FOUND_ANSWERS.has(method);

/** Differs as soon as anything that a driver call depends on has changed. */
export function changeMark({ secrets }: { secrets: Lookup<KubeObject> }, machine: Machine, fact: ClassFact): string {
  if (fact.at !== 'ours') return `${machine.metadata.generation}`;
  const versions = secretKeysOf(fact.class).map((key) => secrets.get(key)?.metadata.resourceVersion);
  return [machine.metadata.generation, fact.class.metadata.generation, ...versions].join('/');
}

/** The id of its VM is on record. */
export const isNamed = ({ spec }: Machine): boolean => (spec?.providerID ?? '') !== '';
