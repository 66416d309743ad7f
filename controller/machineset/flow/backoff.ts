import type { Machine } from '../../../schemas/machine.ts';
import type { MachineSet } from '../../../schemas/machineset.ts';
import { phaseOf, phaseRow } from '../../model/phases.ts';
import { timestamp } from '../../runtime/k8s/object.ts';
import { unlessAhead } from '../../safety/outage/gate.ts';
import type { MachineSetView } from './view.ts';

/** What the set remembers of machines that failed, or left it, before they ran; it outlives them (hack/decisions/0000 6). */
export type BackOff = NonNullable<NonNullable<MachineSet['status']>['creationBackOff']>;

/**
 * The first replacement waits for the next second, so that its times tell it from what failed; the next one a minute, and
 * each one after that twice as long as the one before, up to the cap.
 */
const WAIT_MS = { first: 1_000, base: 60_000, cap: 1_800_000 };

/**
 * What the set should remember now, undefined for nothing. Machines that were created before the last failure belong to it, however many of
 * them fail: only a replacement that fails as well counts as a further failure. A machine that was created since and runs ends it all. A
 * machine that no longer fits the selector before it ran is a failure, too: else a user who changes the labels of each new machine would
 * get one after the other (hack/spec/cluster-api.md F2 11).
 */
export function backOffOf({ set, machines, strays, ...clock }: Facts): BackOff | undefined {
  const before = set.status?.creationBackOff ?? undefined;
  const since = unlessAhead(Date.parse(before?.lastFailureTime ?? '') || 0, clock);
  const madeSince = (moment: number) => machines.filter((machine) => madeAt(machine) >= moment);
  const failed = madeSince(since).filter(failedBeforeItRan).map(failureOf);
  const left = strays.filter(leftBeforeItRan).map(departureOf);
  // Strictly later, because a machine may be made and fail within one second: nothing is counted twice.
  const last = [...failed, ...left]
    .map((failure) => ({ ...failure, at: asJudged(failure.at, clock) }))
    .filter(({ at }) => Date.parse(at) > since)
    .toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at))
    .at(-1);
  const isOver = madeSince(since).some(isUp);
  if (last === undefined) return isOver ? undefined : before;
  if (madeSince(Date.parse(last.at)).some(isUp)) return undefined;
  const failures = isOver ? 1 : (before?.failures ?? 0) + 1;
  return {
    failures,
    lastFailureTime: last.at,
    ...(last.message && { message: last.message }),
    generation: set.metadata.generation ?? 0,
  };
}

/** What is to be remembered follows from these. */
type Facts = Pick<MachineSetView, 'set' | 'machines' | 'strays' | 'now' | 'gate'>;

/** A clock that was wrong may have written it down. */
function asJudged(at: string, clock: Pick<MachineSetView, 'now' | 'gate'>): string {
  const time = Date.parse(at);
  const judged = unlessAhead(time, clock);
  return judged === time || Number.isNaN(time) ? at : timestamp(judged);
}

/** Milliseconds until another machine is made; a change of the set's spec ends the wait. */
export function backOffLeft({ set, now, gate }: Pick<MachineSetView, 'set' | 'now' | 'gate'>): number {
  const { failures = 0, lastFailureTime, generation } = set.status?.creationBackOff ?? {};
  if (failures < 1 || generation !== set.metadata.generation) return 0;
  const waitMs = failures === 1 ? WAIT_MS.first : Math.min(WAIT_MS.base * 2 ** (failures - 2), WAIT_MS.cap);
  return Math.max(0, unlessAhead(Date.parse(lastFailureTime ?? ''), { now, gate }) + waitMs - now) || 0;
}

/** Tells why no machine is made, and when one will be. */
export function backOffMessage({ set, now }: Pick<MachineSetView, 'set' | 'now'>, waitMs: number): string {
  const next = new Date(now + waitMs).toISOString().slice(0, 19);
  return `${failedInARow(set.status?.creationBackOff?.failures ?? 0)}: the next one is made at ${next}Z, or when the set changes`;
}

/** What to say of a set whose machines fail again and again; undefined of one machine that failed, or none. */
export function repeatedFailure(backOff: BackOff | undefined): string | undefined {
  const { failures = 0, message } = backOff ?? {};
  if (failures < 2) return undefined;
  return message ? `${failedInARow(failures)}; the last one: ${message}` : failedInARow(failures);
}

const failedInARow = (failures: number): string =>
  failures === 1 ? 'a machine failed before it ran' : `${failures} machines in a row failed before they ran`;

const madeAt = ({ metadata }: Machine): number => Date.parse(metadata.creationTimestamp ?? '');

const isUp = ({ status, metadata }: Machine): boolean =>
  !metadata.deletionTimestamp && ['Running', 'Available'].includes(phaseOf({ status }));

/** Failed in its creation: without a VM, without a Node, or never well (hack/spec/mcm.md 6.4b, 6.5 D). */
const failedBeforeItRan = ({ status }: Machine): boolean =>
  phaseOf({ status }) === 'Failed' && status?.lastOperation?.type === 'Create';

/** Its labels were changed as soon as it was there. */
export const leftBeforeItRan = (machine: Machine): boolean =>
  !machine.metadata.deletionTimestamp && phaseRow(machine).coming === true;

/** When and why a machine came to nothing. */
interface Failure {
  at: string;
  message?: string | undefined;
}

const failureOf = ({ status, metadata }: Machine): Failure => ({
  at: status?.currentStatus?.lastUpdateTime ?? metadata.creationTimestamp ?? '',
  message: status?.lastOperation?.description,
});

const departureOf = ({ metadata: { name, creationTimestamp = '' } }: Machine): Failure => ({
  at: creationTimestamp,
  message: `the labels of ${name} no longer match the selector`,
});
