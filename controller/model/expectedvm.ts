import type { MachineClass } from '../../schemas/machineclass.ts';
import { timestamp } from '../runtime/k8s/object.ts';

/** A note on a class. It is of the status: a pipeline that replaces the class by its file leaves that as it is (hack/decisions/0051 U37). */
export type VmNote = Pick<NonNullable<MachineClass['status']>, 'vmExpectedUntil'> | typeof NO_VM_EXPECTED;

/** Notes of machines that have gone are this coarse, milliseconds: those that go together write one. */
const COARSE_MS = 60_000;

/**
 * Until when a VM of a deleted machine of this class may turn up, milliseconds since the epoch; undefined where none is expected. A note
 * that cannot be parsed counts as none.
 */
export function vmExpectedUntil({ status }: Pick<MachineClass, 'status'>): number | undefined {
  const until = Date.parse(status?.vmExpectedUntil ?? '');
  return Number.isNaN(until) ? undefined : until;
}

/** The note on the class that a VM may come until then; undefined where that stands there (hack/decisions/0051 L81). */
export function expectation(machineClass: MachineClass, until: number): VmNote | undefined {
  if ((vmExpectedUntil(machineClass) ?? 0) >= until) return undefined;
  return noted(until);
}

const noted = (until: number): VmNote => ({ vmExpectedUntil: timestamp(Math.ceil(until / COARSE_MS) * COARSE_MS) });

/** The clock of the process that wrote a note may have differed from ours by so much, milliseconds. */
const SKEW_MS = 30_000;

/**
 * The note anew, where it says a later moment than any can that was written until now: a clock was set back since, and class and Secret would
 * stay for as long (hack/decisions/0051 L102). Undefined for any other.
 * @param at `youthMs`: how long a VM may take to appear
 */
export function redated(
  machineClass: MachineClass,
  { now, youthMs }: { now: number; youthMs: number },
): VmNote | undefined {
  const latest = now + youthMs;
  const isAhead = (vmExpectedUntil(machineClass) ?? 0) > latest + COARSE_MS + SKEW_MS;
  return isAhead ? noted(latest) : undefined;
}

/** Takes the note off. */
export const NO_VM_EXPECTED = { vmExpectedUntil: null } as const;
