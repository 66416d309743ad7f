import type { Machine } from '../../schemas/machine.ts';
import { type Decision, SETTLED, type StepState, stepStates } from '../flow.ts';
import { FATAL, flowOf, leaving, living } from './reconcile.ts';
import type { CallsFact, MachineAction, MachineView, NodeCondition } from './view.ts';

type Status = NonNullable<Machine['status']>;
type Phase = NonNullable<NonNullable<Status['currentStatus']>['phase']>;
type Operation = NonNullable<Status['lastOperation']>;

/** A state that passes within this time is not worth a write of its own, in milliseconds. */
export const QUIET_MS = 1_000;

/**
 * The status that the Machine should have after a decision, or undefined while nothing is worth a write: an action is
 * under way and the next look comes at once, or what is waited for may come at once.
 * @param timestamp the view's moment as RFC 3339
 */
export function statusOf(view: MachineView, decision: Decision<MachineAction>, timestamp: string): Status | undefined {
  if (view.class.at === 'foreign' || !worthWriting(view, decision)) return undefined;
  const before = view.machine.status ?? {};
  const phase = phaseOf(view, decision);
  const operation = operationOf(view, decision, phase);
  return {
    ...before,
    ...nodeFacts(view),
    conditions: conditionsOf(view, stepStates(flowOf(view), decision), timestamp),
    currentStatus: currentStatus(before, phase, timestamp),
    ...(operation && { lastOperation: dated(before.lastOperation ?? undefined, operation, timestamp) }),
    ...(phase === 'Failed' || before.phase ? { phase } : {}),
    ...failureOf(decision, before),
    deciding: { step: decision.step, reason: reasonOf(decision) },
  };
}

/** Waits that are often over at once, and since when they last: a call is under way, the Node of a new VM has yet to come. */
const BRIEF: Readonly<Record<string, (calls: CallsFact) => number | undefined>> = {
  DriverWorking: ({ flying }) => flying?.since,
  NodeNotRegistered: ({ askedAt }) => askedAt,
};

/** Milliseconds until the status of a decision is worth its write; 0 when it is worth it now. */
export function quietLeft({ calls, now }: MachineView, { outcome }: Decision<MachineAction>): number {
  const since = outcome.kind === 'wait' ? BRIEF[outcome.reason]?.(calls) : undefined;
  return since === undefined ? 0 : Math.max(0, since + QUIET_MS - now);
}

const worthWriting = (view: MachineView, decision: Decision<MachineAction>): boolean =>
  decision.outcome.kind !== 'act' && quietLeft(view, decision) === 0;

function phaseOf(view: MachineView, { step, outcome }: Decision<MachineAction>): Phase {
  const before = view.machine.status?.currentStatus?.phase ?? '';
  if (view.machine.metadata.deletionTimestamp) return 'Terminating';
  if (outcome.kind === 'fail' && FATAL.has(outcome.reason)) return 'Failed';
  if (step === SETTLED) return view.node.at === 'none' ? 'Available' : 'Running';
  if (step === 'Healthy') return unhealthyPhase(before);
  if (view.calls.failure && (step === 'Created' || step === 'Initialized')) return 'CrashLoopBackOff';
  if (step === 'Joined' || step === 'Initialized') return 'Pending';
  return before as Phase;
}

function unhealthyPhase(before: string): Phase {
  if (before === 'Failed') return 'Failed';
  return before === 'Running' || before === 'Unknown' ? 'Unknown' : 'Pending';
}

/** What is going on, in MCM's words; undefined leaves what stands there (MCM 6.4 to 6.7). */
function operationOf(view: MachineView, decision: Decision<MachineAction>, phase: Phase): Operation | undefined {
  const { machine, calls } = view;
  const { name } = machine.metadata;
  const before = machine.status?.currentStatus?.phase ?? '';
  const message = 'message' in decision.outcome ? (decision.outcome.message ?? '') : '';
  if (phase === 'Terminating') {
    const state = calls.failure ? 'Failed' : 'Processing';
    return {
      type: 'Delete',
      state,
      description: describe(`Deleting machine: ${decision.step}`, view),
      ...errorCode(view),
    };
  }
  if (phase === 'CrashLoopBackOff')
    return {
      type: 'Create',
      state: 'Failed',
      description: describe('Creating the VM failed', view),
      ...errorCode(view),
    };
  if (phase === 'Failed') {
    const type = decision.step === 'Healthy' && before !== 'Pending' ? 'HealthCheck' : failedType(decision);
    return { type, state: 'Failed', description: `Machine ${name} failed: ${message}` };
  }
  if (phase === before) return undefined;
  if (phase === 'Pending')
    return { type: 'Create', state: 'Processing', description: 'Creating machine on cloud provider' };
  if (phase === 'Available')
    return { type: 'Create', state: 'Successful', description: 'Created machine on cloud provider' };
  if (phase === 'Running') return joinedOperation(machine);
  if (phase === 'Unknown')
    return {
      type: 'HealthCheck',
      state: 'Processing',
      description: `Machine ${name} is unhealthy: ${reasonOf(decision)}`,
    };
  return undefined;
}

function failedType({ outcome }: Decision<MachineAction>): 'Create' | 'HealthCheck' {
  return outcome.kind === 'fail' && outcome.reason === 'VmVanished' ? 'HealthCheck' : 'Create';
}

function joinedOperation({ metadata: { name }, status }: Machine): Operation {
  const last = status?.lastOperation;
  const first = !last || (last.type === 'Create' && last.state !== 'Successful');
  return first
    ? { type: 'Create', state: 'Successful', description: `Machine ${name} successfully joined the cluster` }
    : { type: 'HealthCheck', state: 'Successful', description: `Machine ${name} successfully re-joined the cluster` };
}

const describe = (what: string, { calls }: MachineView): string =>
  calls.failure ? `${what}. Cloud provider message - ${calls.failure.message}` : what;

const errorCode = ({ calls }: MachineView): { errorCode?: string } =>
  calls.failure ? { errorCode: calls.failure.code } : {};

/** Keeps the old time when nothing but the time would change, so that the same news is written once. */
function dated(before: Operation | undefined, next: Operation, timestamp: string): Operation {
  const same =
    before !== undefined &&
    before.type === next.type &&
    before.state === next.state &&
    before.description === next.description &&
    (before.errorCode ?? '') === (next.errorCode ?? '');
  return { ...next, lastUpdateTime: same ? before.lastUpdateTime : timestamp };
}

function currentStatus({ currentStatus: before }: Status, phase: Phase, timestamp: string): Status['currentStatus'] {
  const timeoutActive = phase === 'Pending';
  if (before && before.phase === phase && (before.timeoutActive ?? false) === timeoutActive) return before;
  return { ...before, phase, timeoutActive, lastUpdateTime: timestamp };
}

/** What a person must act on, in Cluster API's fields; taken back as soon as it no longer holds (CKV A1.9, FIX). */
function failureOf({ outcome }: Decision<MachineAction>, before: Status): Partial<Status> {
  if (outcome.kind !== 'fail')
    return before.errorReason || before.failureReason
      ? { errorReason: undefined, errorMessage: undefined, failureReason: undefined, failureMessage: undefined }
      : {};
  const { reason, message } = outcome;
  const mirrors = FATAL.has(reason) ? { failureReason: reason, failureMessage: message } : {};
  return { errorReason: reason, errorMessage: message, ...mirrors };
}

function nodeFacts({ node, machine }: MachineView): Partial<Status> {
  if (node.at !== 'present' || machine.status?.nodeRef?.uid === node.uid) return {};
  return { nodeRef: { name: node.name, uid: node.uid } };
}

/** The Node's conditions as MCM copies them, beside them one condition a step. */
function conditionsOf(view: MachineView, steps: StepState[], timestamp: string): NodeCondition[] {
  const before = view.machine.status?.conditions ?? [];
  const own = steps.map((state) => stepCondition(before, state, timestamp));
  const names = new Set([...STEP_NAMES, ...own.map(({ type }) => type)]);
  const kept = before.filter(({ type }) => !names.has(type));
  const fresh = view.node.at === 'present' ? view.node.conditions : kept;
  return [...(sameConditions(kept, fresh) ? kept : fresh), ...own];
}

/** Names that only steps use; a condition of a flow that no longer runs is dropped. */
const STEP_NAMES = [...Object.keys(living), ...Object.keys(leaving)];

function stepCondition(
  before: NodeCondition[],
  { type, status, reason, message }: StepState,
  now: string,
): NodeCondition {
  const old = before.find((condition) => condition.type === type);
  const moved = old?.status !== status;
  const lastTransitionTime = moved ? now : old?.lastTransitionTime;
  return { type, status, reason, lastTransitionTime, ...(message && { message }) };
}

/** Equal but for heart-beats: those are no news (MCM 6.1). */
function sameConditions(before: NodeCondition[], after: NodeCondition[]): boolean {
  if (before.length !== after.length) return false;
  const known = new Map(before.map((condition) => [condition.type, condition.status]));
  return after.every(({ type, status }) => known.get(type) === status);
}

const reasonOf = ({ step, outcome }: Decision<MachineAction>): string =>
  outcome.kind === 'pass' ? step : outcome.reason;
