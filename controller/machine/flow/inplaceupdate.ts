import {
  ANNOTATION_UPDATE_FAILED_REASON,
  LABEL_CANDIDATE,
  LABEL_SELECTED,
  LABEL_UPDATE_RESULT,
} from '../../../schemas/keys.ts';
import type { Phase } from '../../../schemas/machinestatus.ts';
import type { LastOperation } from '../../../schemas/reported.ts';
import { act, fail, pass, wait } from '../../flow/flow.ts';
import { phaseOf, rowOf } from '../../model/phases.ts';
import {
  conditionAt,
  IN_PLACE_CONDITION,
  type InPlaceReason,
  inPlaceReason,
  lacking,
  type NodeChange,
} from '../../nodes/change.ts';
import { cordoned, cordonedForNow, isCordonNoted, uncordoned } from '../../nodes/owner.ts';
import { conditionOf, type Node } from '../../runtime/k8s/core.ts';
import { timestamp } from '../../runtime/k8s/object.ts';
import { type Answer, seconds } from './drivercall.ts';
import { heldBack } from './health.ts';
import { DRAINING, emptyingOf, isForced, mayForce } from './livedrain.ts';
import { clocksFrom } from './outage.ts';
import type { Reason } from './reasons.ts';
import type { MachineView } from './view.ts';

/**
 * An update in place goes on, or there is none (hack/spec/mcm.md 6.11). Labels of the Node say what is asked for and what came of it,
 * its condition how far we are; an agent on the Node does the work.
 */
export function inPlaceUpdated(view: MachineView): Answer {
  const { node } = view;
  const mark = node.at === 'present' && node.ours ? nextMark(view, node.object) : undefined;
  return mark ?? standing(view);
}

/** The phase that a machine is in for each reason of the step that waits or fails. */
export const UPDATE_PHASES: Readonly<Partial<Record<string, Phase>>> = {
  InPlaceUpdating: 'InPlaceUpdating',
  InPlaceUpdateSuccessful: 'InPlaceUpdateSuccessful',
  InPlaceUpdateFailed: 'InPlaceUpdateFailed',
  InPlaceUpdateTimedOut: 'InPlaceUpdateFailed',
};

/** What the last operation says in each of these phases (hack/spec/mcm.md 6.5 C, 6.11). */
export function inPlaceOperation(phase: Phase, message: string | undefined): LastOperation | undefined {
  const type = 'InPlaceUpdate';
  if (phase === 'InPlaceUpdating') return { type, state: 'Processing', description: 'Updating machine in place' };
  if (phase === 'InPlaceUpdateSuccessful')
    return { type, state: 'Successful', description: 'Updated machine in place' };
  if (phase === 'InPlaceUpdateFailed') return { type, state: 'Failed', description: message };
  return undefined;
}

/** What the Node's condition says next. */
function nextMark(view: MachineView, node: Node): Answer | undefined {
  const labels = node.metadata.labels ?? {};
  const reason = inPlaceReason(node);
  const result = labels[LABEL_UPDATE_RESULT];
  if (labels[LABEL_CANDIDATE] === undefined) return withdrawn(node, reason);
  if (result === 'successful' && reason !== 'UpdateSuccessful') return marked(view, node, 'UpdateSuccessful');
  if (result === 'failed' && reason !== 'UpdateFailed') return marked(view, node, 'UpdateFailed');
  if (reason === undefined || (reason === 'UpdateSuccessful' && result === undefined))
    return marked(view, node, 'CandidateForUpdate');
  // Uncordoned since it was emptied, it may run pods again (hack/decisions/0051 L129).
  const isReopened = reason === 'DrainSuccessful' && !node.spec?.unschedulable;
  if (isReopened || (reason === 'CandidateForUpdate' && labels[LABEL_SELECTED] !== undefined))
    return told(view, node, { reason: 'SelectedForUpdate', message: '', beside: cordonedForNow(node) });
  if (reason === 'SelectedForUpdate') return emptied(view, node);
  // The agent begins when it sees this: by then the phase says so.
  if (reason === 'DrainSuccessful' && phaseOf(view.machine) === 'InPlaceUpdating')
    return marked(view, node, 'ReadyForUpdate');
  return undefined;
}

/** How the update stands, and in which phase the machine is for it. */
function standing(view: MachineView): Answer {
  const phase = phaseOf(view.machine);
  const reason = view.node.at === 'present' ? inPlaceReason(view.node.object) : undefined;
  if (reason === 'UpdateSuccessful') return rowOf(phase).updating ? wait('InPlaceUpdateSuccessful', 0) : pass;
  if (phase === 'Failed') return wasGivenUp(view) ? fail('InPlaceUpdateAbandoned', failureOf(view)) : pass;
  if (reason === 'UpdateFailed') return failed(view, 'InPlaceUpdateFailed');
  if (phase === 'InPlaceUpdateFailed') return failed(view, 'InPlaceUpdateTimedOut');
  const begun = reason === 'DrainSuccessful' || reason === 'ReadyForUpdate';
  if (!begun && !(phase === 'InPlaceUpdating' && isNodeMissing(view))) return pass;
  const left = phase === 'InPlaceUpdating' ? timeLeft(view, view.limits.inPlace) : view.limits.inPlace;
  if (left <= 0) return wait('InPlaceUpdateTimedOut', 0, failureOf(view));
  return wait('InPlaceUpdating', left, 'the agent on the Node updates the machine');
}

/** A failed update leaves the machine as long as bad health does; then it is replaced, unless that is switched off. */
function failed(view: MachineView, reason: 'InPlaceUpdateFailed' | 'InPlaceUpdateTimedOut'): Answer {
  const { health } = view.limits;
  const left = phaseOf(view.machine) === 'InPlaceUpdateFailed' ? timeLeft(view, health) : health;
  if (left > 0 || view.machine.spec?.disableHealthTimeout)
    return wait(reason, left > 0 ? left : Infinity, failureOf(view));
  return heldBack(view, failureOf(view)) ?? fail('InPlaceUpdateAbandoned', failureOf(view));
}

/** Its Node does not say how the update stands: it is not there. One without labels and condition is in no update. */
const isNodeMissing = ({ node }: MachineView): boolean => node.at !== 'present';
const wasGivenUp = ({ machine }: MachineView): boolean => machine.status?.lastOperation?.type === 'InPlaceUpdate';

/** Milliseconds left of a time that began with the phase. */
function timeLeft(view: MachineView, limit: number): number {
  const { machine, now } = view;
  const since = Date.parse(machine.status?.currentStatus?.lastUpdateTime ?? '') || now;
  return Math.max(since, clocksFrom(view)) + limit - now;
}

/** How far an update may be without the agent having begun. */
const UNTOUCHED: ReadonlySet<InPlaceReason> = new Set(['CandidateForUpdate', 'SelectedForUpdate', 'DrainSuccessful']);

/** The wish was taken back before the machine was touched: the Node is as it was. */
function withdrawn(node: Node, reason: InPlaceReason | undefined): Answer | undefined {
  if (reason === undefined || !UNTOUCHED.has(reason)) return undefined;
  // MCM, which notes no cordon, has put none on before.
  const cordon = (reason !== 'CandidateForUpdate' || isCordonNoted(node)) && uncordoned(node);
  return changed('CancelInPlaceUpdate', node, { ...cordon, condition: { type: IN_PLACE_CONDITION, gone: true } });
}

/** No pod is left that an update would disturb. */
function emptied(view: MachineView, node: Node): Answer | undefined {
  const cordon = lacking(node, cordoned(node));
  if (cordon) return act('CordonNode', { do: 'changeNode', change: cordon });
  const said = conditionOf(node, IN_PLACE_CONDITION);
  if (!said?.message || (!isForced(said) && mayForce(view, node))) return draining(view, node);
  const emptying = emptyingOf(view);
  if (emptying?.at !== 'ended') return emptying?.answer;
  return emptying.left === 0 ? marked(view, node, 'DrainSuccessful') : draining(view, node);
}

/** The drain begins, or begins anew by force: its clock is this condition's. */
function draining(view: MachineView, node: Node): Answer | undefined {
  const begun = Boolean(conditionOf(node, IN_PLACE_CONDITION)?.message);
  const force = begun || mayForce(view, node);
  const message = `${force ? DRAINING.byForce : DRAINING.gently} since ${timestamp(view.now)}`;
  return told(view, node, { reason: 'SelectedForUpdate', message });
}

function marked(view: MachineView, node: Node, reason: InPlaceReason): Answer | undefined {
  return told(view, node, { reason, message: reason === 'UpdateFailed' ? failureOf(view) : '' });
}

function told(
  { now }: MachineView,
  node: Node,
  { beside, ...says }: { reason: InPlaceReason; message: string; beside?: NodeChange },
): Answer | undefined {
  const condition = conditionAt(node, { type: IN_PLACE_CONDITION, status: 'True', ...says }, timestamp(now));
  return changed('UpdateNodeCondition', node, { ...beside, condition });
}

function changed(reason: Reason, node: Node, wanted: NodeChange): Answer | undefined {
  const change = lacking(node, wanted);
  return change && act(reason, { do: 'changeNode', change });
}

/** What went wrong: the agent's word, or that it gave none. */
function failureOf({ node, limits }: MachineView): string {
  const object = node.at === 'present' ? node.object : undefined;
  if (object?.metadata.labels?.[LABEL_UPDATE_RESULT] !== 'failed')
    return `the update in place was not done within ${seconds(limits.inPlace)}`;
  const said = object.metadata.annotations?.[ANNOTATION_UPDATE_FAILED_REASON];
  return said ? `the update in place failed: ${said}` : 'the update in place failed';
}
