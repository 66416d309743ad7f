import type { Machine } from '../../../schemas/machine.ts';
import type { Phase } from '../../../schemas/machinestatus.ts';
import { isOnlyKept } from '../../../schemas/rules/machine.ts';
import { isLabelValue } from '../../../schemas/selector.ts';
import { blindReasons } from '../../drain/flow/view.ts';
import { type Decision, messageOf, reasonOf, type StepState, stepStates } from '../../flow/flow.ts';
import { IN_PLACE_CONDITION, zoneIn } from '../../nodes/change.ts';
import { timestamp } from '../../runtime/k8s/object.ts';
import { memberState } from '../flow/claim.ts';
import { classState, specState, supportState } from '../flow/classresolution.ts';
import { deletionStatus } from '../flow/drain.ts';
import { failuresBefore } from '../flow/drivercall.ts';
import { deletionSteps, flowOf, liveSteps } from '../flow/flow.ts';
import { wasSuspect } from '../flow/health.ts';
import { updateState } from '../flow/hotupdate.ts';
import { initializedState } from '../flow/launch.ts';
import { FATAL } from '../flow/predicates.ts';
import { expiryTime, isKept, withPreserved } from '../flow/preservation.ts';
import type { MachineAction, MachineView, NodeCondition } from '../flow/view.ts';
import { refusedState } from '../flow/writefailures.ts';
import { dated, operationOf, phaseAfter } from './lastoperation.ts';

type Status = NonNullable<Machine['status']>;

/** A state that passes within this time is not worth a write of its own, in milliseconds. */
export const QUIET_MS = 1_000;

/**
 * The status that the Machine should have after a decision, or undefined while nothing is worth a write: an action is
 * under way and the next look comes at once, or what is waited for may come at once.
 * @param timestamp the view's moment as RFC 3339
 */
export function statusOf(view: MachineView, decision: Decision<MachineAction>, timestamp: string): Status | undefined {
  // Nothing could be written while the control API server is unreachable.
  if (view.class.at === 'foreign' || view.gate.shut?.unreachable === 'control') return undefined;
  const before = { ...view.machine.status, ...memoOf(view) };
  if (!worthWriting(view, decision)) return isMemoNew(view) ? before : undefined;
  const phase = phaseAfter(view, decision);
  const operation = operationOf(view, decision, phase);
  const progress = {
    currentStatus: currentStatus(view, { phase, reason: reasonOf(decision) }, timestamp),
    ...(operation && { lastOperation: dated(before.lastOperation ?? undefined, operation, timestamp) }),
    currentStep: currentStep(decision),
  };
  // What was found of it while it was there stays.
  if (isOnlyKept(view.machine)) return { ...before, ...progress };
  return {
    ...before,
    ...mirrored(view),
    ...deletionStatus(view, reasonOf(decision)),
    conditions: conditionsOf(view, { steps: stepStates(flowOf(view), decision), phase }, timestamp),
    ...progress,
    ...(phase === 'Failed' || before.phase ? { phase } : {}),
    ...failureOf(view, decision, before),
    ...(isKept(view, phase) && { failureMessage: undefined }),
  };
}

/** The step that decides, and why: in one word and, where the step has one, in a sentence. */
function currentStep(decision: Decision<MachineAction>): Status['currentStep'] {
  const message = messageOf(decision);
  return { name: decision.step, reason: reasonOf(decision), ...(message !== '' && { message }) };
}

/** How long the first lists of a target are waited for without a word, in milliseconds. */
const FIRST_LISTS_MS = 10_000;

/** Waits that are often over at once, and since when they last: a call is under way, the Node of a new VM has yet to come. */
const BRIEF: Readonly<Record<string, (view: MachineView) => number | undefined>> = {
  // A call that is tried again is news once it is answered.
  DriverCallInProgress: (view) => {
    const { inFlight } = view.calls;
    return inFlight && failuresBefore(view, inFlight.method).length > 0 ? Infinity : inFlight?.since;
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
  // Bad health is told apart from mere silence, from which no clock runs.
  const restarts = wasSuspect(view.machine) && reason !== 'NodeLeaseExpired';
  if (!restarts && before && before.phase === phase && (before.timeoutActive ?? false) === timeoutActive)
    return { ...before, preserveExpiryTime };
  return { ...before, phase, timeoutActive, preserveExpiryTime, lastUpdateTime: timestamp };
}

/**
 * What a person must act on, in Cluster API's fields; removed as soon as it no longer holds (hack/spec/cluster-api.md A1.9, FIX). A Machine
 * that is being deleted keeps saying why it failed: others count how many are being replaced. A Machine that is preserved shows the
 * cluster-autoscaler no failureMessage, for it would go on removing the Machine (hack/decisions/0051 U21).
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
const memoOf = ({ calls: { lastKnownState } }: MachineView): Partial<Status> =>
  lastKnownState === undefined ? {} : { lastKnownState: lastKnownState || undefined };

const isMemoNew = ({ calls: { lastKnownState }, machine }: MachineView): boolean =>
  lastKnownState !== undefined && lastKnownState !== (machine.status?.lastKnownState ?? '');

type Address = NonNullable<Status['addresses']>[number];

/** What the status tells of the Node and the VM: whose Node, its addresses and versions (hack/spec/mcm.md 6.4; hack/decisions/0000 2; hack/spec/cluster-api.md E1). */
export const mirrored = (view: MachineView): Partial<Status> => ({
  ...nodeRefOf(view),
  ...zoneOf(view),
  ...addressesOf(view),
  ...versionsOf(view),
  ...providerConditionsOf(view),
});

/** A machine becomes one Node: a reference to one of another name is not ours to change, and the API server refuses it. */
function nodeRefOf({ node, machine: { status } }: MachineView): Partial<Status> {
  if (node.at !== 'present' || (status?.nodeRef && status.nodeRef.name !== node.name)) return {};
  return { nodeRef: { name: node.name, uid: node.uid } };
}

/** What is told of it last stays: who counts the machines of a zone goes by it once the Node is gone. */
function zoneOf({ node }: MachineView): Partial<Status> {
  const zone = node.at === 'present' ? zoneIn(node.object.metadata.labels) : undefined;
  return zone && isLabelValue(zone) ? { zone } : {};
}

/** The Node's, and the driver's until there is one; without a target cluster all that were ever seen, as in MCM. */
function addressesOf({ node, vm, machine }: MachineView): Partial<Status> {
  const told = vm.at === 'present' ? (vm.addresses ?? []) : [];
  if (node.at === 'none') return vm.at === 'present' ? { addresses: union(machine, [...told, named(vm)]) } : {};
  const ofNode = node.at === 'present' ? (node.object.status?.addresses ?? []) : [];
  const [known] = [ofNode, told].filter((addresses) => addresses.length > 0);
  return known ? { addresses: known.map(({ type, address }) => ({ type, address })) } : {};
}

const named = ({ nodeName }: { nodeName: string }): Address => ({ type: 'Hostname', address: nodeName });

function union({ status }: Machine, addresses: Address[]): Address[] {
  const all = [...(status?.addresses ?? []), ...addresses];
  const byText = new Map(all.map(({ type, address }) => [`${type} ${address}`, { type, address }]));
  return [...byText.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, address]) => address);
}

function versionsOf({ node, machine }: MachineView): Partial<Status> {
  const kubelet = node.at === 'present' ? node.object.status?.nodeInfo?.['kubeletVersion'] : undefined;
  return kubelet ? { versions: { ...machine.status?.versions, kubelet } } : {};
}

/** One of each type, each with the time since when it is so. */
function providerConditionsOf({ vm, machine, now }: MachineView): Partial<Status> {
  if (vm.at !== 'present' || !vm.conditions) return {};
  const before = machine.status?.providerConditions ?? [];
  const byType = new Map(vm.conditions.map((condition) => [condition.type, condition]));
  const providerConditions = [...byType.values()].map(({ type, status, reason, message }) => {
    const old = before.find((one) => one.type === type);
    const lastTransitionTime = old?.status === status ? old.lastTransitionTime : timestamp(now);
    return { type, status, lastTransitionTime, ...(reason && { reason }), ...(message && { message }) };
  });
  return { providerConditions };
}

/** What a decision says of the Machine: its steps, and the phase that it shall have. */
interface Told {
  steps: StepState[];
  phase: string;
}

/**
 * The Node's conditions as MCM copies them, and one condition for each step. Those of a paused Machine stay as last known: a pause does not
 * make them false.
 */
function conditionsOf(view: MachineView, { steps, phase }: Told, timestamp: string): NodeCondition[] {
  const before = view.machine.status?.conditions ?? [];
  const paused = steps.some(({ type, status }) => type === 'Paused' && status === 'False');
  const own = steps.map((state) => {
    const lastKnown = before.find(({ type }) => type === state.type);
    if (paused && state.status === 'Unknown' && lastKnown) return lastKnown;
    return stepCondition(lastKnown, pausedState(refusedState(view, shown(view, state))), timestamp);
  });
  const names = new Set([...STEP_NAMES, ...own.map(({ type }) => type)]);
  const kept = before.filter(({ type }) => !names.has(type));
  // What a Node says under a step's name is the Node's alone: a condition stands here once.
  const fresh =
    view.node.at === 'present'
      ? view.node.conditions.filter(({ type }) => !names.has(type))
      : withPreserved(view, kept, phase);
  return [...(sameConditions(kept, fresh) ? kept : fresh), ...own];
}

/** A step that lets the flow go on although it is not satisfied says so itself. */
const shown = (view: MachineView, state: StepState): StepState =>
  state.status === 'True' ? (STATES[state.type]?.(view) ?? state) : state;

const STATES: Readonly<Record<string, (view: MachineView) => StepState | undefined>> = {
  SpecValid: specState,
  ClassReady: classState,
  FieldsSupported: supportState,
  VMInitialized: initializedState,
  VMUpToDate: updateState,
  NodeSynced: memberState,
};

/** `Paused` is True while the machine is paused, as in Cluster API; the step of that name passes while it is not. */
function pausedState(state: StepState): StepState {
  if (state.type !== 'Paused') return state;
  return state.status === 'True' ? { ...state, status: 'False', reason: 'NotPaused' } : { ...state, status: 'True' };
}

/** Names that only steps use; a condition of a flow that no longer runs is dropped. */
const STEP_NAMES = [...Object.keys(liveSteps), ...Object.keys(deletionSteps)];

function stepCondition(
  old: NodeCondition | undefined,
  { type, status, reason, message }: StepState,
  now: string,
): NodeCondition {
  const moved = old?.status !== status;
  const lastTransitionTime = moved ? now : old?.lastTransitionTime;
  return { type, status, reason, lastTransitionTime, ...(message && { message }) };
}

/** Conditions that say by their reason how things stand (hack/spec/mcm.md 6.1). */
const TELLING: ReadonlySet<string> = new Set([IN_PLACE_CONDITION, 'Preserved']);

/** Equal but for heart-beats: those are no news (hack/spec/mcm.md 6.1). */
function sameConditions(before: NodeCondition[], after: NodeCondition[]): boolean {
  if (before.length !== after.length) return false;
  const known = new Map(before.map((condition) => [condition.type, condition]));
  return after.every(({ type, status, reason }) => {
    const old = known.get(type);
    return old?.status === status && (!TELLING.has(type) || old.reason === reason);
  });
}
