import type { Driver, DriverMethod } from '../../drivers/sdk/driver.ts';
import { type DriverError, toDriverError } from '../../drivers/sdk/errors.ts';
import { HotFields } from '../../model/template.ts';
import { wallOf } from '../../runtime/clock.ts';
import type { UpdateFact } from '../flow/view.ts';
import type { Call } from './failures.ts';
import { InFlightCalls, type InFlightCallsOptions } from './inflight.ts';

/** What updates need beside what all calls do. */
export interface UpdatesOptions extends InFlightCallsOptions {
  drivers: ReadonlyMap<string, Driver>;
  /** Is told of each update that a driver failed. */
  failed(key: string, error: DriverError): void;
}

/** One hot update to make; `spec` is what it brings the VM to (canonical JSON). */
export type Update = Pick<Call, 'uid' | 'key' | 'classKey' | 'mark'> & {
  spec: string;
  run(signal: AbortSignal): Promise<void>;
};

/**
 * Hot updates in flight, by Machine UID. They are calls of their own: one that is slow or fails neither holds up the
 * questions about the VM nor casts doubt on it.
 */
export class Updates {
  readonly #calls: InFlightCalls;
  readonly #o: UpdatesOptions;
  /** What VMs were updated to, as long as it is not recorded yet. */
  readonly #done = new Map<string, string>();
  /** On the monotonic clock. */
  readonly #doneAt = new Map<string, number>();
  /** When the Machines were made that were made while this process leads: on the monotonic clock, as soon as it saw them. */
  readonly #bornAt = new Map<string, number>();
  /** Those for which no VM was asked yet. */
  readonly #unasked = new Set<string>();
  /** On the monotonic clock. */
  readonly #begunAt: number;
  readonly hotFields: HotFields;

  constructor(options: UpdatesOptions) {
    this.#o = options;
    this.#begunAt = options.clock.monotonic();
    this.#calls = new InFlightCalls(options);
    this.hotFields = new HotFields(options.drivers);
  }

  /** The Machine was made while this process leads: nobody can have made a VM for it yet. */
  born(uid: string): void {
    this.#unasked.add(uid);
    this.#bornAt.set(uid, this.#o.clock.monotonic());
  }

  /** When a Machine was made while this process leads, by the wall clock as it is now; undefined for any other. */
  bornAt(uid: string): number | undefined {
    const bornAt = this.#bornAt.get(uid);
    return bornAt === undefined ? undefined : wallOf(this.#o.clock, bornAt);
  }

  /** When this process began to lead, by the wall clock as it is now. */
  begunAt(): number {
    return wallOf(this.#o.clock, this.#begunAt);
  }

  /** The Machine was made while this process leads, and no creation of its VM has begun. */
  isUnasked(uid: string): boolean {
    return this.#unasked.has(uid);
  }

  /** Whether the creation that is about to begin is the first that anybody begins for the Machine; true but once. */
  isFirstCreation(uid: string): boolean {
    return this.#unasked.delete(uid);
  }

  /** How the Machine's update stands. */
  fact(call: Omit<Call, 'run' | 'method'>): UpdateFact {
    const { inFlight, failure, full } = this.#calls.fact(call);
    const done = this.#done.get(call.uid);
    const doneAt = this.#doneAt.get(call.uid);
    return {
      slotFree: !full.includes('updateMachine'),
      ...(inFlight && { inFlight }),
      ...(failure && { failure }),
      ...(done !== undefined && { done }),
      ...(doneAt !== undefined && { doneAt: wallOf(this.#o.clock, doneAt) }),
    };
  }

  /** Starts the update unless one is in flight for the Machine; its end enqueues the key. */
  start({ spec, run, ...call }: Update): void {
    this.#calls.start({
      ...call,
      method: 'updateMachine',
      run: async (signal) => {
        await run(signal).catch((thrown) => this.#fail(call.key, { thrown, signal }));
        this.#done.set(call.uid, spec);
        this.#doneAt.set(call.uid, this.#o.clock.monotonic());
        return undefined;
      },
    });
  }

  /** A record was written: what was done is on it, or no longer worth it. */
  recorded(uid: string): void {
    this.#done.delete(uid);
  }

  /** How many updates are in flight. */
  countByMethod(): ReadonlyMap<DriverMethod, number> {
    return this.#calls.countByMethod();
  }

  /** Tells the update in flight to give up. */
  cancel(uid: string): void {
    this.#calls.cancel(uid);
  }

  /** Enqueues the Machine's key as soon as there is room for an update of its class. */
  awaitSlot(call: Pick<Call, 'key' | 'classKey'>): void {
    this.#calls.awaitSlot({ ...call, method: 'updateMachine' });
  }

  /** The key wants no slot any more. */
  leaveSlot(key: string): void {
    this.#calls.leaveSlot(key);
  }

  /** Drops what is known of a Machine that is gone. */
  forget(uid: string): void {
    this.#calls.forget(uid);
    this.#done.delete(uid);
    this.#doneAt.delete(uid);
    this.#unasked.delete(uid);
    this.#bornAt.delete(uid);
  }

  /** A driver call that was canceled because the Machine is being deleted counts as no failure. */
  #fail(key: string, { thrown, signal }: { thrown: unknown; signal: AbortSignal }): never {
    const cancelled = signal.aborted && signal.reason?.name === 'AbortError';
    if (!cancelled) this.#o.failed(key, toDriverError(thrown));
    throw thrown;
  }
}
