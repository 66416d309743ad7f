import type { DriverMethod, VmAnswer } from '../../drivers/sdk/driver.ts';
import { classOf, type DriverError } from '../../drivers/sdk/errors.ts';
import type { DeletionFact, VmFact } from '../flow/view.ts';
import type { Told as ToldVm } from '../flow/vmclaim.ts';

/** Moments are those of the monotonic clock; whoever asks is told what the wall clock shows for them. */
export interface Flight {
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
  told?: ToldVm | undefined;
  flight?: Flight | undefined;
  memo?: string | undefined;
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
 * A creation that ended so may have made a VM of which nobody has heard. One that we told to give up says so in whatever words its driver
 * has for that.
 */
export const mayHaveMade = ({ method, abort }: Flight, { code }: DriverError): boolean =>
  method === 'createMachine' && (abort.signal.aborted || code === 'Canceled' || classOf(code, method) === 'transient');

/** A deletion was accepted: what that did to the VM nobody has said yet. */
export function accepted(memory: Memory): void {
  if (memory.vm.at === 'present') memory.vm = { at: 'unknown' };
}

/** What stands of a deletion that was answered. */
export const deletionAfter = ({ vm }: Memory, at: number): DeletionFact => ({
  at,
  ...(vm.at === 'absent' && { denied: true }),
});

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
  /** The Machine's key, woken by the answer. */
  key: string;
  /** Calls of one class share a bound: its UID, so that a class that is made again begins anew. */
  classKey: string;
  method: DriverMethod;
  /** Changes with the Machine, its class and its secret; a changed mark allows a retry at once. */
  mark: string;
  run(signal: AbortSignal): Promise<CallAnswer>;
}
