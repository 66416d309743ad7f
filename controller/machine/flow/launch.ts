import { LABEL_NODE } from '../../../schemas/keys.ts';
import { act, fail, pass, type Step, type StepState, wait } from '../../flow/flow.ts';
import { phaseOf } from '../../model/phases.ts';
import { recordingOf } from './claim.ts';
import { creatable, served } from './classresolution.ts';
import { type Answer, call, creationLeft, failing, failureOf, POLL_HEALTHY_MS, seconds } from './drivercall.ts';
import { notWrittenDown } from './hotupdate.ts';
import {
  FATAL,
  hasJoined,
  hasVanished,
  isDenied,
  isMissing,
  isNodeReady,
  lossOf,
  VANISHED_MS,
  wasLost,
} from './predicates.ts';
import type { Reason } from './reasons.ts';
import type { MachineAction, MachineView, NodeFact } from './view.ts';

/** How often the driver is asked about a VM whose Node is missing or not ready. */
const POLL_UNHEALTHY_MS = 60_000;
/** How soon the driver is asked after a Node stopped being well: an answer from before that says nothing. */
const POLL_ALARMED_MS = 500;
/** Times of conditions are whole seconds. */
const SECOND_MS = 1_000;

/** There is a VM, and its identity is recorded. */
export function vmCreated(view: MachineView): Answer {
  if (view.machine.spec?.providerID) return stillThere(view);
  if (view.vm.at === 'present') return act('RecordVM', recordingOf(view, view.vm));
  if (creationLeft(view) <= 0) return fail('CreationTimedOut', `no VM within ${seconds(view.limits.creation)}`);
  if (view.vm.at === 'unknown') return call(view, 'GetVMStatus', 'getMachineStatus');
  const blocked = creatable(view);
  if (blocked.kind !== 'pass') return blocked;
  const creation = call(view, 'CreateVM', 'createMachine');
  return withToken(view, creation.kind === 'act' ? (notWrittenDown(view) ?? creation) : creation);
}

/** A VM whose id is recorded is never made again; silence about it must not blind the judgement of its Node. */
function stillThere(view: MachineView): Answer {
  const { vm, calls, machine, node } = view;
  const lost = fail('VMNotFound', lossOf(view));
  // One that is held back says so as a matter of its health.
  if (hasVanished(view) && !view.hold) return lost;
  const unnamed = node.at !== 'none' && view.claim.at !== 'others' && !machine.metadata.labels?.[LABEL_NODE];
  if (vm.at === 'present' && unnamed) return act('RecordVM', recordingOf(view, vm));
  const due = calls.askedAt === undefined || view.now - calls.askedAt >= pollAfter(view);
  const unfinished = vm.at === 'present' && !vm.initialized;
  const mayAsk = !calls.inFlight && !failing(view, 'getMachineStatus') && !calls.full.includes('getMachineStatus');
  if (due && served(view).kind === 'pass' && !unfinished && mayAsk)
    return act('GetVMStatus', { do: 'call', method: 'getMachineStatus' });
  return wasLost(view) ? lost : pass;
}

/** The VM is all that it should be. One whose Node is well is finished on the side: that must not hide how its Node does. */
export function vmInitialized(view: MachineView): Answer {
  if (view.vm.at !== 'present') return doubtful(view);
  if (view.vm.initialized) return pass;
  const blocked = served(view);
  const late = overdue(view, blocked.kind === 'wait' ? blocked.message : undefined);
  if (late) return late;
  const answer = blocked.kind === 'pass' ? withToken(view, call(view, 'InitializeVM', 'initializeMachine')) : blocked;
  return isUp(view) && answer.kind !== 'act' ? pass : answer;
}

/** Without a target cluster only the driver can say that a VM is done; nobody is given up while it does not. */
function doubtful(view: MachineView): Answer {
  const isTold = view.node.at !== 'none' || hasJoined(view) || served(view).kind !== 'pass';
  if (isTold) return pass;
  return view.vm.at === 'absent'
    ? wait('NotFound', VANISHED_MS, lossOf(view))
    : call(view, 'GetVMStatus', 'getMachineStatus');
}

/** What a Machine that goes on all the same shows of a VM that could not be finished; undefined when there is nothing. */
export function initializedState({ vm, calls }: MachineView): StepState | undefined {
  const failure = failureOf(calls, ['initializeMachine']);
  if (vm.at !== 'present' || vm.initialized || !failure) return undefined;
  return { type: 'VMInitialized', status: 'False', reason: failure.code, message: failure.message };
}

/** The Node of the VM has registered. */
export function nodeRegistered(view: MachineView): Answer {
  const { node } = view;
  if (node.at === 'none' || node.at === 'present') return pass;
  if (hasJoined(view)) return pass;
  const left = creationLeft(view);
  // Its own reason, also of a Machine that was given up for it, and has no time left.
  if (node.at === 'foreign' && (left > 0 || node.stale)) return nameTaken(view, node, left);
  if (left <= 0) return fail('RegistrationTimedOut', `no Node within ${seconds(view.limits.creation)}`);
  const isThere = view.vm.at !== 'absent';
  return wait('NodeNotRegistered', left, isThere ? 'the VM is there, its Node is not yet' : lossOf(view));
}

/** A Node that stays in the way is the end of the Machine; any other may yet go (hack/spec/mcm.md 6.4, stale node check). */
function nameTaken({ machine }: MachineView, node: Extract<NodeFact, { at: 'foreign' }>, left: number): Answer {
  const whose = `Node "${node.name}" is not that of ${machine.spec?.providerID}`;
  if (node.stale) return fail('NodeNameTaken', `VM using old node obj: ${whose}, but of ${node.providerID}`);
  return wait('NodeNotOwned', left, node.why ? `${whose}: ${node.why}` : whose);
}

/** How long the answer about the VM is good for, milliseconds. */
export function pollAfter(view: MachineView): number {
  const { node, machine, calls, vm, hold } = view;
  // A missing VM whose Machine is held back, or so young that it may yet appear, is asked about as often as any unhealthy one.
  if (vm.at === 'absent')
    return isDenied({ vm, calls }) && (hold || !isMissing(view)) ? POLL_UNHEALTHY_MS : VANISHED_MS;
  if (node.at === 'none' || isNodeReady(node)) return POLL_HEALTHY_MS;
  const wasWell = phaseOf(machine) === 'Running';
  const answeredBefore = node.at === 'present' && (calls.askedAt ?? 0) < changedAt(view, node) + SECOND_MS;
  return answeredBefore || (wasWell && node.at !== 'present') ? POLL_ALARMED_MS : POLL_UNHEALTHY_MS;
}

/** When the Node's conditions changed last. A time in the future is by a clock that differs from ours: then the status tells when we saw the change. */
function changedAt({ machine, now }: MachineView, node: Extract<NodeFact, { at: 'present' }>): number {
  if (node.changedAt <= now) return node.changedAt;
  return Date.parse(machine.status?.currentStatus?.lastUpdateTime ?? '') || 0;
}

/** A call that hands over user data waits until the token that the user data asks for is made. */
export function withToken({ token, now }: MachineView, answer: Answer): Answer {
  if (answer.kind !== 'act') return answer;
  if (token === 'missing') return act('CreateBootstrapToken', { do: 'makeToken' });
  if (typeof token === 'object') return wait('BootstrapTokenFailed', token.retryAt - now, token.message);
  if (token !== 'unknown') return answer;
  return wait('BootstrapTokensUnknown', TOKENS_MS, 'the bootstrap tokens of the target cluster cannot be read yet');
}

/** How often it is looked whether the tokens of the target cluster are known, milliseconds. */
export const TOKENS_MS = 5_000;

/**
 * The Machine ran, or its Node is as well as that of one that runs: what is wrong with the VM must not hide that (hack/spec/mcm.md 6.2,
 * health before creation).
 */
export const isUp = (view: MachineView): boolean =>
  hasJoined(view) || (isNodeReady(view.node) && view.node.at === 'present' && !view.node.critical);

/** The time of the creation is over, with nothing to show for it; a Node that cannot be read may be well. */
const isOverdue = (view: MachineView): boolean =>
  creationLeft(view) <= 0 && !isUp(view) && view.node.at !== 'unknown' && view.class.at !== 'foreign';

/** The end of a Machine whose VM was not made, or not finished, in time (hack/spec/mcm.md 6.4b); undefined while there is some left. */
export function overdue(view: MachineView, why?: string): Answer | undefined {
  if (!isOverdue(view)) return undefined;
  const { spec } = view.machine;
  const what = `${spec?.providerID ? 'the VM is not initialized' : 'no VM'} within ${seconds(view.limits.creation)}`;
  return fail('CreationTimedOut', why ? `${what}: ${why}` : what);
}

/** Whatever a step on the way to a VM waits for, it does so no longer than a creation may take (hack/decisions/0000 6). */
export const inTime =
  (step: Step<MachineView, MachineAction, Reason>): Step<MachineView, MachineAction, Reason> =>
  (view) => {
    const answer = step(view);
    const waits = answer.kind === 'wait' || (answer.kind === 'fail' && !FATAL.has(answer.reason));
    return (waits && overdue(view, answer.message ?? answer.reason)) || answer;
  };
