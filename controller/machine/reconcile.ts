import { ANNOTATION_PAUSED, FINALIZER, LABEL_NODE } from '../../schemas/keys.ts';
import { act, type Decision, decide, fail, type Outcome, pass, type Steps, wait } from '../flow.ts';
import type { MachineAction, MachineView, NodeFact } from './view.ts';

type Answer = Outcome<MachineAction>;

/** How long an answer about a healthy VM is good for. */
const POLL_HEALTHY_MS = 600_000;
/** How often the driver is asked about a VM whose Node is missing or not ready. */
const POLL_UNHEALTHY_MS = 60_000;
/** How soon the driver is asked after a Node stopped being well: an answer from before that says nothing. */
const POLL_ALARMED_MS = 500;
/** How long a VM must be missing before it counts as gone. */
const VANISHED_MS = 10_000;
/** Times of conditions are whole seconds. */
const SECOND_MS = 1_000;

/** What a living Machine goes through; the names are its status conditions, in this order. */
export const living: Steps<MachineView, MachineAction> = {
  Unpaused: ({ machine }) =>
    machine.metadata.annotations?.[ANNOTATION_PAUSED] === undefined ? pass : wait('Paused', Infinity),
  Classified: classified,
  Guarded: ({ machine }) => (hasFinalizer(machine) ? pass : act('AddFinalizer', { do: 'addFinalizer' })),
  Created: created,
  Initialized: initialized,
  Joined: joined,
  Healthy: healthy,
};

/** What a deleted Machine goes through. Nothing below a step runs before that step is satisfied. */
export const leaving: Steps<MachineView, MachineAction> = {
  Guarded: ({ machine }) => (hasFinalizer(machine) ? pass : wait('NotOurs', Infinity)),
  VmDeleted: vmDeleted,
  NodeDeleted: ({ node }) =>
    node.at === 'present' && !node.deleting ? act('DeleteNode', { do: 'deleteNode', name: node.name }) : pass,
  Released: () => act('RemoveFinalizer', { do: 'removeFinalizer' }),
};

/** The flow that the Machine is in. */
export const flowOf = ({ machine }: MachineView): Steps<MachineView, MachineAction> =>
  machine.metadata.deletionTimestamp ? leaving : living;

/** What to do for the Machine now. */
export const plan = (view: MachineView): Decision<MachineAction> => decide(flowOf(view), view);

/** Reasons of `fail` that end a Machine: it is replaced, never mended (MCM 6.4b, 6.5 D). */
export const FATAL: ReadonlySet<string> = new Set(['VmVanished', 'CreationTimedOut', 'JoinTimedOut', 'HealthTimedOut']);

function classified({ class: fact }: MachineView): Answer {
  if (fact.at === 'missing') return wait('ClassNotFound', Infinity, `MachineClass "${fact.name}" does not exist`);
  if (fact.at === 'secretMissing') return wait('SecretNotFound', Infinity, `Secret "${fact.secret}" does not exist`);
  if (fact.at === 'foreign')
    return wait('ForeignProvider', Infinity, `no driver here serves provider "${fact.provider}"`);
  return pass;
}

function created(view: MachineView): Answer {
  if (view.machine.spec?.providerID) return stillThere(view);
  if (view.vm.at === 'present') return act('RecordVm', { do: 'recordVm', ...identity(view.vm) });
  if (creationLeft(view) <= 0) return fail('CreationTimedOut', `no VM within ${seconds(view.limits.creation)}`);
  if (view.vm.at === 'unknown') return call(view, 'AskVm', 'getMachineStatus');
  return call(view, 'CreateVm', 'createMachine');
}

/** A VM whose id is recorded is never made again; silence about it must not blind the judgement of its Node. */
function stillThere(view: MachineView): Answer {
  const { vm, calls, machine, node } = view;
  const lost = fail('VmVanished', `the driver no longer knows ${machine.spec?.providerID}`);
  if (hasVanished(view)) return lost;
  const unnamed = node.at !== 'none' && !machine.metadata.labels?.[LABEL_NODE];
  if (vm.at === 'present' && unnamed) return act('RecordVm', { do: 'recordVm', ...identity(vm) });
  const due = calls.askedAt === undefined || view.now - calls.askedAt >= pollAfter(view);
  if (due && !calls.flying && !failing(view)) return act('AskVm', { do: 'call', method: 'getMachineStatus' });
  return wasLost(view) ? lost : pass;
}

/**
 * One word of a driver is not enough to give up a machine: lists of clouds lag behind. It must be said again a while
 * later, and while the Node is Ready it is not believed at all.
 */
const hasVanished = ({ vm, calls, node }: MachineView): boolean =>
  vm.at === 'absent' && !isReady(node) && (calls.askedAt ?? 0) - vm.since >= VANISHED_MS;

/** What another process found out holds until the driver or the Node says otherwise. */
const wasLost = ({ vm, machine, node }: MachineView): boolean =>
  machine.status?.errorReason === 'VmVanished' && vm.at !== 'present' && !isReady(node);

function initialized(view: MachineView): Answer {
  if (view.vm.at !== 'present' || view.vm.initialized) return pass;
  return call(view, 'InitializeVm', 'initializeMachine');
}

function joined(view: MachineView): Answer {
  const { node, machine } = view;
  if (node.at === 'none' || node.at === 'present') return pass;
  if (hasJoined(view)) return pass;
  const left = creationLeft(view);
  if (left <= 0) return fail('JoinTimedOut', `no Node within ${seconds(view.limits.creation)}`);
  if (node.at === 'foreign')
    return wait('NodeIsForeign', left, `Node "${node.name}" is not that of ${machine.spec?.providerID}`);
  return wait('NodeNotRegistered', left, 'the VM is there, its Node is not yet');
}

function healthy(view: MachineView): Answer {
  const { node } = view;
  if (node.at === 'none') return pass;
  if (node.at === 'present' && node.ready) {
    const first = !hasJoined(view);
    return first && node.critical ? wait('CriticalComponentsNotReady', creationLeft(view)) : pass;
  }
  const reason = node.at === 'present' ? 'NodeNotReady' : 'NodeMissing';
  if (!hasJoined(view)) {
    const left = creationLeft(view);
    return left > 0
      ? wait(reason, left)
      : fail('JoinTimedOut', `Node not ready within ${seconds(view.limits.creation)}`);
  }
  const left = healthLeft(view);
  if (left <= 0 && !view.machine.spec?.disableHealthTimeout)
    return fail('HealthTimedOut', `${reason} for ${seconds(view.limits.health)}`);
  return wait(reason, left > 0 ? left : Infinity);
}

function vmDeleted(view: MachineView): Answer {
  if (view.calls.deleted) return pass;
  if (view.calls.flying && view.calls.flying.method !== 'deleteMachine') return act('CancelCall', { do: 'cancelCall' });
  const blocked = classified(view);
  if (blocked.kind !== 'pass') return blocked;
  return call(view, 'DeleteVm', 'deleteMachine');
}

/** Starts a driver call, unless one is in flight, the last one failed a moment ago, or the class has no slot left. */
function call(view: MachineView, reason: string, method: Extract<MachineAction, { do: 'call' }>['method']): Answer {
  const { flying, failure, slotFree } = view.calls;
  const deadline = view.machine.metadata.deletionTimestamp ? Infinity : creationLeft(view);
  if (flying) return wait('DriverWorking', deadline, `${flying.method} is in progress`);
  if (failing(view) && failure) {
    if (failure.permanent) return fail(failure.code, failure.message);
    return wait(failure.code, Math.min(failure.retryAt - view.now, deadline), failure.message);
  }
  if (!slotFree) return wait('WaitingForSlot', deadline, 'as many calls of this class as allowed are in flight');
  return act(reason, { do: 'call', method });
}

const failing = ({ calls, now }: MachineView): boolean => calls.failure !== undefined && calls.failure.retryAt > now;

/** Milliseconds until creation counts as failed, from the Machine's own creation (MCM Annex B: Pending time-out). */
const creationLeft = ({ machine, now, limits }: MachineView): number =>
  Date.parse(machine.metadata.creationTimestamp ?? '') + limits.creation - now;

/** Milliseconds until ill health counts as final, from the moment the phase became Unknown; a Failed Machine has none left. */
function healthLeft({ machine, now, limits }: MachineView): number {
  const current = machine.status?.currentStatus;
  if (current?.phase === 'Failed') return 0;
  const since = current?.phase === 'Unknown' ? Date.parse(current.lastUpdateTime ?? '') : now;
  return since + limits.health - now;
}

/** Milliseconds until something is due by itself, whatever the steps said: a poll, a retry, the end of creation. */
export function nextDeadline(view: MachineView): number {
  const { calls, now, machine } = view;
  if (machine.metadata.deletionTimestamp) return (calls.failure?.retryAt ?? Infinity) - now;
  const due = [calls.failure?.retryAt ?? Infinity, (calls.askedAt ?? Infinity) + pollAfter(view)].map((at) => at - now);
  if (!hasJoined(view)) due.push(creationLeft(view));
  return Math.min(...due.filter((ms) => ms > 0));
}

function pollAfter({ node, machine, calls, vm }: MachineView): number {
  if (vm.at === 'absent') return VANISHED_MS;
  if (node.at === 'none' || isReady(node)) return POLL_HEALTHY_MS;
  const wasWell = machine.status?.currentStatus?.phase === 'Running';
  const answeredBefore = node.at === 'present' && (calls.askedAt ?? 0) < node.changedAt + SECOND_MS;
  return answeredBefore || (wasWell && node.at !== 'present') ? POLL_ALARMED_MS : POLL_UNHEALTHY_MS;
}

const JOINED_PHASES: ReadonlySet<string> = new Set([
  'Running',
  'Unknown',
  'InPlaceUpdating',
  'InPlaceUpdateSuccessful',
  'InPlaceUpdateFailed',
]);

/** The Machine was Running once: what follows is a matter of health, no longer of creation. */
function hasJoined({ machine: { status } }: MachineView): boolean {
  const phase = status?.currentStatus?.phase ?? '';
  return JOINED_PHASES.has(phase) || (phase === 'Failed' && status?.lastOperation?.type === 'HealthCheck');
}

const isReady = (node: NodeFact): boolean => node.at === 'present' && node.ready;
const hasFinalizer = ({ metadata }: MachineView['machine']): boolean =>
  metadata.finalizers?.includes(FINALIZER) ?? false;
const identity = ({ providerID, nodeName }: { providerID: string; nodeName: string }) => ({ providerID, nodeName });
const seconds = (ms: number): string => `${Math.round(ms / 1000)}s`;
