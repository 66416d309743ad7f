import { EXCLUDE_VOLUME_WAIT } from '../../../schemas/keys.ts';
import type { Machine } from '../../../schemas/machine.ts';
import { blindReasons } from '../../drain/flow/view.ts';
import { rowOf } from '../../model/phases.ts';
import { timestamp } from '../../runtime/k8s/object.ts';
import { isHeldReason } from '../../safety/outage/gate.ts';
import { AHEAD_MS, isExcluded } from './predicates.ts';
import { stepsBehind } from './steptraits.ts';
import type { MachineView } from './view.ts';

type Status = NonNullable<Machine['status']>;

/** Times in a status are whole seconds. */
const SECOND_MS = 1_000;

/**
 * The time before which no time-out of the Machine runs, in milliseconds since the epoch: then an outage ended, or the wall clock was set,
 * which has the same effect.
 */
export const clocksFrom = ({ gate, machine }: Pick<MachineView, 'gate' | 'machine'>): number =>
  Math.max(gate.judgesFrom, heldUntil({ gate, machine }));

/**
 * From when the time counts that a Machine has to come up, milliseconds since the epoch: its own creation (hack/spec/mcm.md Annex B: Pending
 * time-out), or an outage. The creation that we saw ourselves counts by our clock: that of the API server may differ.
 */
export const joinsFrom = (view: Pick<MachineView, 'gate' | 'machine' | 'bornAt'>): number =>
  Math.max(view.bornAt ?? Date.parse(view.machine.metadata.creationTimestamp ?? ''), clocksFrom(view));

/**
 * When the last outage that held the Machine up ended, milliseconds since the epoch; 0 for never. The time since when a Node is not Ready,
 * by its own condition, counts although another process led meanwhile: it begins anew only after such an outage, and after our clock was
 * set, because then its age is unknown.
 */
export const heldUntil = ({ gate, machine }: Pick<MachineView, 'gate' | 'machine'>): number =>
  Math.max(gate.steppedAt ?? 0, recordedFrom(machine));

const recordedFrom = ({ status }: Machine): number => Date.parse(status?.clocksFrom ?? '') || 0;

/**
 * What is to be written before a Machine is judged for the first time after an outage: its time-outs begin anew in full, and the next
 * leader sees so (hack/spec/mcm.md 8.2). Undefined when there is no such thing.
 */
export function restartedClocks(view: MachineView): Partial<Status> | undefined {
  const { gate, machine, class: fact } = view;
  const wasHeld = isHeldReason(machine.status?.currentStep?.reason);
  const isAnew = wasHeld || ranOutUnseen(view) || wasSet(view);
  if (gate.shut || fact.at === 'foreign' || !(isAnew || wasBlind(view))) return undefined;
  const now = timestamp(view.now);
  const { currentStatus, currentStep } = machine.status ?? {};
  const phase = currentStatus?.phase ?? '';
  return {
    // Who knew nothing of pods heard of the Node all the same.
    ...(isAnew && { clocksFrom: now }),
    ...restartedDeletion(view),
    ...(currentStep && (wasHeld || wasBlind(view)) && { currentStep: { ...currentStep, reason: 'OutageOver' } }),
    ...((rowOf(phase).limited || isAhead(view, currentStatus?.lastUpdateTime)) && {
      currentStatus: { ...currentStatus, lastUpdateTime: now },
    }),
    ...(phase === 'Unknown' && { lastOperation: { ...RESET, lastUpdateTime: now } }),
  };
}

/** MCM's words for it. */
const RESET = {
  type: 'HealthCheck',
  state: 'Processing',
  description: 'Machine Health Timeout was reset due to APIServer being unreachable',
} as const;

/** What a drain says that knows no pods of its Node, or no rules for them. */
const BLIND = blindReasons;

/** The pods of a Node that is drained, and the rules for them, can be listed again: while they could not, the drain's time did not count. */
const wasBlind = ({ machine: { status }, drain }: MachineView): boolean =>
  BLIND.has(status?.currentStep?.reason ?? '') &&
  status?.deletion?.drain !== undefined &&
  !status.deletion.drain?.endedAt &&
  drain?.podsKnown === true;

/**
 * A drain that timed out while no leader ran, or while the control API server was away, so that it could not be held; or volumes that
 * were waited for meanwhile, if only for a part of their time: that is so short that none of it may be lost. What was given back for that,
 * if anything, is on record: a drain by force has no time that could be (hack/decisions/0051 L90).
 */
function ranOutUnseen(view: MachineView): boolean {
  const { gate, machine } = view;
  const waited = isDetaching(machine) ? detachFrom(view) : undefined;
  if (waited !== undefined) return Math.max(waited, recordedFrom(machine)) + SECOND_MS <= gate.judgesFrom;
  const { deadline, endedAt } = deletionOf(machine)?.drain ?? {};
  if (deadline === undefined || endedAt) return false;
  return Math.max(Date.parse(deadline), recordedFrom(machine)) + SECOND_MS <= gate.judgesFrom;
}

/** The deletion has not gone on yet to what comes behind volumes, and somebody is to wait for these. */
const isDetaching = (machine: Machine): boolean =>
  !WAITED.has(machine.status?.currentStep?.name ?? '') && !isExcluded(machine, EXCLUDE_VOLUME_WAIT);

/** Steps of a deletion that come once volumes have been waited for; those of a lost Node are waited for later. */
const WAITED: ReadonlySet<string> = new Set(
  stepsBehind('VolumesDetached').filter((step) => step !== 'VolumesReleased'),
);

/** From when on volumes are waited for, once a drain is over or where there is none; undefined while they are not. */
function detachFrom({ machine, drain }: Pick<MachineView, 'machine' | 'drain'>): number | undefined {
  const { drain: record, detachDeadline } = deletionOf(machine) ?? {};
  if (!drain || !detachDeadline || (record && !record.endedAt)) return undefined;
  return Date.parse(detachDeadline) - drain.limits.detachMs;
}

/**
 * The wall clock was set since a deletion's clocks began, so that they tell nothing any more; or set back before this process
 * began, so that what is on record lies ahead and would last for as long.
 */
function wasSet(view: MachineView): boolean {
  const { gate, machine } = view;
  const { currentStatus, clocksFrom: recorded } = machine.status ?? {};
  const { startedAt, endedAt } = deletionOf(machine)?.drain ?? {};
  const begun = endedAt ? undefined : startedAt;
  const detached = detachFrom(view);
  if ([currentStatus?.lastUpdateTime, begun, recorded, detached].some((time) => isAhead(view, time))) return true;
  const since = startedAt === undefined ? detached : Date.parse(startedAt);
  if (gate.steppedAt === undefined || since === undefined) return false;
  return Math.max(since, recordedFrom(machine)) + SECOND_MS <= gate.steppedAt;
}

const isAhead = ({ now }: MachineView, time: string | number = ''): boolean =>
  (typeof time === 'number' ? time : Date.parse(time)) > now + AHEAD_MS;

/** A drain has its time back, or volumes that are being detached theirs. */
function restartedDeletion(view: MachineView): { deletion?: Deletion } {
  const { machine, now, drain } = view;
  const deletion = deletionOf(machine);
  if (!deletion) return {};
  const { heldSince, ...told } = deletion;
  const { drain: record } = told;
  const lost = { now, ...(heldSince && { lostFrom: Date.parse(heldSince) }), ...(wasSet(view) && { isSet: true }) };
  if (record && !record.endedAt) return { deletion: { ...told, drain: restartedDrain(record, lost) } };
  if (!drain || !told.detachDeadline) return heldSince ? { deletion: told } : {};
  return { deletion: { ...told, ...restartedDetachment(told, { ...lost, ms: drain.limits.detachMs }) } };
}

type Lost = Parameters<typeof givenBack>[1];

type DrainRecord = NonNullable<Deletion['drain']>;

function restartedDrain(record: DrainRecord, lost: Lost): DrainRecord {
  const [startedAt, deadline] = [Date.parse(record.startedAt), Date.parse(record.deadline)];
  const given = givenBack({ startedAt, deadline, elapsedMs: msOf(record.elapsedSeconds) }, lost);
  const times = { startedAt: timestamp(given.startedAt), deadline: timestamp(given.deadline) };
  return { ...record, ...times, ...elapsedIn('elapsedSeconds', given) };
}

/** A drain that had ended goes on: what it did not run has no effect on its time, which it has as often as after outages. */
export const reopenedDrain = (record: DrainRecord & { endedAt: string }, now: number): DrainRecord =>
  restartedDrain(record, { now, lostFrom: Date.parse(record.endedAt), isSet: true });

function restartedDetachment(deletion: Deletion, { ms, ...lost }: Lost & { ms: number }): Partial<Deletion> {
  if (!deletion.detachDeadline) return {};
  const deadline = Date.parse(deletion.detachDeadline);
  const elapsedMs = msOf(deletion.detachElapsedSeconds);
  const given = givenBack({ startedAt: deadline - ms, deadline, elapsedMs }, lost);
  return { detachDeadline: timestamp(given.deadline), ...elapsedIn('detachElapsedSeconds', given) };
}

const msOf = (seconds: number | null | undefined): number => (seconds ?? 0) * SECOND_MS;

const elapsedIn = (field: string, { elapsedMs }: { elapsedMs: number }): object =>
  elapsedMs > 0 ? { [field]: Math.round(elapsedMs / SECOND_MS) } : {};

/**
 * Since when the time-outs of the Machine's deletion do not run, because the decision is held, or pods or rules are unknown; this is
 * recorded when the status is written anyway. Undefined where they run.
 */
export function heldSinceOf({ machine, gate, now }: MachineView, reason: string): string | undefined {
  if (!isHeldReason(reason) && !BLIND.has(reason)) return undefined;
  return deletionOf(machine)?.heldSince ?? timestamp(isHeldReason(reason) ? (gate.shut?.since ?? now) : now);
}

/** Time-outs of a Machine's deletion, as its status records them. */
export type Deletion = NonNullable<NonNullable<Machine['status']>['deletion']>;

/**
 * What is on record of this deletion of the Machine. A record that was restored from a backup with the status is of another deletion, and
 * counts as none, whether the Machine is deleted again or not: its `startedAt` is the deletionTimestamp of that one.
 */
export function deletionOf({ metadata, status }: Pick<Machine, 'metadata' | 'status'>): Deletion | undefined {
  const record = status?.deletion;
  if (!record || !metadata.deletionTimestamp) return undefined;
  return Date.parse(record.startedAt) === Date.parse(metadata.deletionTimestamp) ? record : undefined;
}

/** A clock of a deletion that runs, milliseconds. */
export interface Running {
  startedAt: number;
  deadline: number;
  /** How long it had run, all in all, whenever it began anew. */
  elapsedMs: number;
}

/** A clock that has run for so many times its setting does not begin anew any more. */
const MOST = 3;

/**
 * The clock after a time in which nothing could be done. It has the time back that was lost; the whole of it where it ran out meanwhile, or
 * where nobody knows how much was lost, until that was given for a few times its setting: what is lost again and again is not to go on for ever
 * (hack/decisions/0051 L80).
 * @param at `lostFrom`: since when nothing could be done, as far as anybody knows; `isSet`: the wall clock was set since the clock began, which
 * tells no more how long it ran
 */
export function givenBack(
  clock: Running,
  { now, lostFrom, isSet = false }: { now: number; lostFrom?: number; isSet?: boolean },
): Running {
  const { startedAt, deadline, elapsedMs } = clock;
  const timeMs = deadline - startedAt;
  const isAnew = (isSet || lostFrom === undefined || deadline <= now) && elapsedMs < MOST * timeMs;
  if (isAnew) {
    const ranMs = Math.max(0, Math.min(timeMs, (lostFrom ?? now) - startedAt));
    return { startedAt: now, deadline: now + timeMs, elapsedMs: elapsedMs + ranMs };
  }
  const lostMs = now - Math.max(startedAt, lostFrom ?? now);
  const from = Math.min(now, startedAt + Math.max(0, lostMs));
  return { startedAt: from, deadline: from + timeMs, elapsedMs };
}
