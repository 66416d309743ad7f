import type { Machine } from '../../../schemas/machine.ts';
import { blindReasons } from '../../drain/flow/reasons.ts';
import { type Decision, messageOf, reasonOf, stepStates } from '../../flow/flow.ts';
import { isOnlyKept } from '../../model/holding.ts';
import { deletionStatus } from '../flow/drain.ts';
import { failuresBefore } from '../flow/drivercall.ts';
import { FATAL } from '../flow/fatal.ts';
import { flowOf } from '../flow/flow.ts';
import { wasSuspect } from '../flow/health.ts';
import { expiryTime, isKept } from '../flow/preservation.ts';
import type { MachineAction, MachineView } from '../flow/view.ts';
import { conditionsOf } from './conditions.ts';
import { dated, operationOf } from './lastoperation.ts';
import { mirrored } from './mirrored.ts';
import { type Phase, phaseAfter } from './phase.ts';

type Status = NonNullable<Machine['status']>;

/** A state that passes within this time is not worth a write of its own, in milliseconds. */
export const QUIET_MS = 1_000;

/**
 * The status that the Machine should have after a decision, or undefined while nothing is worth a write: an action is
 * under way and the next look comes at once, or what is waited for may come at once.
 * @param timestamp the view's moment as RFC 3339
 */
export function statusOf(view: MachineView, decision: Decision<MachineAction>, timestamp: string): Status | undefined {
  // Nothing could be written while the control API server is away.
  if (view.class.at === 'foreign' || view.gate.shut?.away === 'control') return undefined;
  const before = { ...view.machine.status, ...memoOf(view) };
  if (!worthWriting(view, decision)) return isMemoNew(view) ? before : undefined;
  const phase = phaseAfter(view, decision);
  const operation = operationOf(view, decision, phase);
  const progress = {
    currentStatus: currentStatus(view, { phase, reason: reasonOf(decision) }, timestamp),
    ...(operation && { lastOperation: dated(before.lastOperation ?? undefined, operation, timestamp) }),
    deciding: deciding(decision),
  };
  // What was found of it while it was there stays.
  if (isOnlyKept(view.machine)) return { ...before, ...progress };
  return {
    ...before,
    ...mirrored(view),
    ...deletionStatus(view, reasonOf(decision)),
    conditions: conditionsOf(view, stepStates(flowOf(view), decision), timestamp),
    ...progress,
    ...(phase === 'Failed' || before.phase ? { phase } : {}),
    ...failureOf(view, decision, before),
    ...(isKept(view, phase) && { failureMessage: undefined }),
  };
}

/** The step that decides, and why: in one word and, where the step has one, in a sentence. */
function deciding(decision: Decision<MachineAction>): Status['deciding'] {
  const message = messageOf(decision);
  return { step: decision.step, reason: reasonOf(decision), ...(message !== '' && { message }) };
}

/** How long the first lists of a target are waited for without a word, in milliseconds. */
const FIRST_LISTS_MS = 10_000;

/** Waits that are often over at once, and since when they last: a call is under way, the Node of a new VM has yet to come. */
const BRIEF: Readonly<Record<string, (view: MachineView) => number | undefined>> = {
  // A call that is tried again is news once it is answered.
  DriverWorking: (view) => {
    const { flying } = view.calls;
    return flying && failuresBefore(view, flying.method).length > 0 ? Infinity : flying?.since;
  },
  NodeNotRegistered: ({ calls: { askedAt } }) => askedAt,
  // Most VMs are gone by then.
  VMTerminating: ({ calls: { deletion } }) => deletion?.at,
  // The first lists of a cluster that answers come soon, and a herd is many writes.
  ClusterUnreachable: ({ cluster: { since } }) => since && since + FIRST_LISTS_MS - QUIET_MS,
  GetPods: ({ drain }) => drain?.listed.since,
};

/** The same of pods, and of the rules for them. */
const listedSince = ({ gate }: MachineView): number => gate.judgesFrom + FIRST_LISTS_MS - QUIET_MS;

/** Milliseconds until the status of a decision is worth its write; 0 when it is worth it now. */
export function quietLeft(view: MachineView, { outcome }: Decision<MachineAction>): number {
  const since = outcome.kind === 'wait' ? briefSince(view, outcome.reason) : undefined;
  return since === undefined ? 0 : Math.max(0, since + QUIET_MS - view.now);
}

const briefSince = (view: MachineView, reason: string): number | undefined =>
  blindReasons.has(reason) ? listedSince(view) : BRIEF[reason]?.(view);

const worthWriting = (view: MachineView, decision: Decision<MachineAction>): boolean =>
  decision.outcome.kind !== 'act' && quietLeft(view, decision) === 0;

function currentStatus(
  view: MachineView,
  { phase, reason }: { phase: Phase; reason: string },
  timestamp: string,
): Status['currentStatus'] {
  const before = view.machine.status?.currentStatus;
  const timeoutActive = phase === 'Pending';
  const preserveExpiryTime = expiryTime(view, phase);
  // Ill health is told apart from mere silence, from which no clock runs.
  const restarts = wasSuspect(view.machine) && reason !== 'HeartbeatsMissing';
  if (!restarts && before && before.phase === phase && (before.timeoutActive ?? false) === timeoutActive)
    return { ...before, preserveExpiryTime };
  return { ...before, phase, timeoutActive, preserveExpiryTime, lastUpdateTime: timestamp };
}

/**
 * What a person must act on, in Cluster API's fields; taken back as soon as it no longer holds (CKV A1.9, FIX). Of a Machine
 * that leaves it goes on saying why it was given up: others count how many are being replaced. Of one that is kept the
 * cluster-autoscaler is told no failureMessage, for it would go on removing it (hack/decisions/0051 U21).
 */
function failureOf({ machine }: MachineView, { outcome }: Decision<MachineAction>, before: Status): Partial<Status> {
  if (outcome.kind !== 'fail') {
    const isOver = !machine.metadata.deletionTimestamp;
    return {
      ...(before.errorReason && { errorReason: undefined, errorMessage: undefined }),
      ...(before.failureReason && isOver && { failureReason: undefined, failureMessage: undefined }),
    };
  }
  const { reason, message } = outcome;
  const mirrors = FATAL.has(reason) ? { failureReason: reason, failureMessage: message } : {};
  return { errorReason: reason, errorMessage: message, ...mirrors };
}

/** The driver's memo is kept before anything else is asked of it; before that it is what stands there. */
const memoOf = ({ calls: { memo } }: MachineView): Partial<Status> =>
  memo === undefined ? {} : { lastKnownState: memo || undefined };

const isMemoNew = ({ calls: { memo }, machine }: MachineView): boolean =>
  memo !== undefined && memo !== (machine.status?.lastKnownState ?? '');
