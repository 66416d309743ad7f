import { EXCLUDE_DRAIN } from '../../../schemas/keys.ts';
import type { Machine } from '../../../schemas/machine.ts';
import { confirmationOf } from '../../drain/flow/confirming.ts';
import { endedByForce, leftOf, lostAt, planDrain, podsUnknown } from '../../drain/flow/plan.ts';
import { reportOf } from '../../drain/flow/report.ts';
import type { DrainOutcome, DrainView } from '../../drain/flow/view.ts';
import { act, pass, wait } from '../../flow/flow.ts';
import { phaseOf } from '../../model/phases.ts';
import { conditionAt, isInUpdate, lacking, type NodeChange } from '../../nodes/change.ts';
import { cordoned, isCordonNoted, uncordoned } from '../../nodes/owner.ts';
import { type Condition, conditionOf, type Node } from '../../runtime/k8s/core.ts';
import { timestamp } from '../../runtime/k8s/object.ts';
import { served } from './classresolution.ts';
import type { Answer } from './drivercall.ts';
import { type Deletion, deletionOf, heldSinceOf, heldUntil, reopenedDrain } from './outage.ts';
import { hasVanished, isExcluded, isForced, wasLost } from './predicates.ts';
import type { MachineView } from './view.ts';

type Record = NonNullable<Deletion['drain']>;

/** Until when the Node's pods are only evicted, as the status records it: Infinity before the drain began. Undefined: no drain. */
export function deadlineOf(machine: Machine): number | undefined {
  if (!machine.metadata.deletionTimestamp) return undefined;
  const deadline = drainRecordOf(machine)?.deadline;
  return deadline ? Date.parse(deadline) : Infinity;
}

/** The pods of the Node have left, or the drain has run out of time (hack/spec/mcm.md 6.8, 7). Without a Node there is nothing to do. */
export function drained(view: MachineView): Answer {
  const { drain, machine } = view;
  const isOpen = isReopened(view);
  if (!drain || (deletionBegun(view) && !isOpen)) return pass;
  // Who serves the class drains, too.
  if (view.class.at === 'foreign') return served(view);
  const record = drainRecordOf(machine);
  if (record?.endedAt) return isOpen ? restarted(view, { ...record, endedAt: record.endedAt }) : pass;
  if (isExcluded(machine, EXCLUDE_DRAIN)) return excluded(view, drain);
  return withdrawn(view) ?? begun(view, drain) ?? emptied(view, drain);
}

/** A drain that nobody wants ends before it begins, or where it is, and that is final; it is none that ended by force. */
function excluded({ machine, now }: MachineView, { limits }: DrainView): Answer {
  const { startedAt = timestamp(now), deadline = timestamp(now + Math.max(1_000, limits.timeoutMs)) } =
    drainRecordOf(machine) ?? {};
  const drain = { startedAt, deadline, endedAt: timestamp(now) };
  return act('DrainSkipped', recording(machine, { drain }), `the annotation ${EXCLUDE_DRAIN} says so`);
}

/**
 * The status of a drain that goes on, brought up to date now and then; empty while nothing is to be said. What a Machine
 * that lives has on record of a deletion, from a backup, is taken off.
 */
export function deletionStatus(view: MachineView, reason = ''): { deletion?: Deletion | undefined } {
  const { machine, drain } = view;
  if (!machine.metadata.deletionTimestamp) return machine.status?.deletion ? { deletion: undefined } : {};
  const deletion = deletionOf(machine);
  if (!deletion) return {};
  const { heldSince: before, ...told } = deletion;
  const heldSince = heldSinceOf(view, reason);
  const record = told.drain && !told.drain.endedAt && drain?.reportDue && { ...told.drain, pods: reportOf(drain) };
  if (!record && heldSince === before) return {};
  return { deletion: { ...told, ...(record && { drain: record }), ...(heldSince && { heldSince }) } };
}

const drainRecordOf = (machine: Machine): Record | undefined => deletionOf(machine)?.drain ?? undefined;

/** Past this point a pod that appears on the Node has no VM to leave: what was done is not begun anew. */
export const deletionBegun = ({ calls }: MachineView): boolean =>
  calls.deletion !== undefined ||
  (calls.inFlight?.method === 'deleteMachine' && !calls.inFlight.cancelled) ||
  calls.failure?.method === 'deleteMachine';

/**
 * The Node takes pods again after its drain, for it was registered anew or uncordoned, and nothing deletes its VM: a drain is due, or goes on
 * already (hack/decisions/0051 L123).
 */
function isReopened(view: MachineView): boolean {
  const { machine, node, calls } = view;
  const record = drainRecordOf(machine);
  const isAsked = calls.deletion !== undefined || calls.inFlight?.method === 'deleteMachine';
  if (!record || isAsked || node.at !== 'present' || isExcluded(machine, EXCLUDE_DRAIN)) return false;
  if (!record.endedAt) return true;
  return !node.object.spec?.unschedulable && !isOver(view, record, record.endedAt);
}

/** It ended by force, and has had its time, or is to have none; but not where the Node was lost for a while, and is back. */
function isOver(view: MachineView, { startedAt, deadline }: Record, endedAt: string): boolean {
  if (Date.parse(endedAt) < Date.parse(deadline)) return false;
  const hadItsTime = !view.drain || Date.parse(deadline) >= Date.parse(deadlineFrom(startedAt, view.drain));
  return hadItsTime || isForced(view.machine) || isLost(view);
}

/** The drain goes on, as if it had not ended, and what follows it begins anew. */
function restarted({ machine, now }: MachineView, record: Record & { endedAt: string }): Answer {
  const drain = { ...reopenedDrain(record, now), endedAt: null, pods: null };
  const { deletionTimestamp: startedAt } = machine.metadata;
  return act('RestartDrain', { do: 'recordDeletion', deletion: { startedAt, ...NONE, drain } });
}

/** The Node takes no more pods, and tells why. One that cannot be told so is drained all the same, but by force alone. */
function withdrawn(view: MachineView): Answer | undefined {
  const { node, machine, now, refused } = view;
  if (node.at !== 'present') return undefined;
  const reason = phaseOf(machine) === 'Failed' ? 'Unhealthy' : 'ScaleDown';
  const change = withdrawal(node.object, { reason, now: timestamp(now), byForce: mustForce(view) });
  if (!change) return undefined;
  const refusal = refused.get('Drained');
  if (!refusal) return act('CordonNode', { do: 'changeNode', change });
  // The clock runs all the same, so that this ends.
  if (!drainRecordOf(machine) || mustForce(view) || !view.drain?.podsKnown) return undefined;
  return wait('WriteRefused', Math.min(forceLeft(view), refusal.retryAt - now), refusal.message);
}

/** The clocks of the drain are on record before it begins; a reason to hurry brings its deadline to now, and that is final. */
function begun(view: MachineView, drain: DrainView): Answer | undefined {
  const { machine, now } = view;
  const record = drainRecordOf(machine);
  const hurry = drain.podsKnown ? mustForce(view) : drain.forced;
  // The drain's time begins only once the pods can be listed: before, none of them could be evicted.
  if (!drain.podsKnown && !hurry) return podsUnknown(drain);
  if (!record) {
    const listed = drain.podsKnown && isEmptied(drain) && !hurry ? confirmationOf(drain) : undefined;
    if (listed?.at === 'confirmed') return pass;
    if (listed?.at === 'asking') return inDrain(listed.outcome);
    const startedAt = timestamp(now);
    const deadline = hurry ? startedAt : deadlineFrom(startedAt, drain);
    return act('StartDrain', recording(machine, { drain: { startedAt, deadline } }));
  }
  if (now >= drain.deadline) return undefined;
  const deadline = hurry ? timestamp(now) : deadlineFrom(record.startedAt, drain);
  if (deadline === record.deadline) return undefined;
  return act(hurry ? 'ForceDrain' : 'UpdateDrainDeadline', recording(machine, { drain: { ...record, deadline } }));
}

/** Nothing is to be done, and nobody to be told of. */
const isEmptied = ({ pods, skipped = [] }: DrainView): boolean => pods.length === 0 && skipped.length === 0;

/** By the time-out as it is now, whichever way that was changed (hack/spec/mcm.md 6.8). */
const deadlineFrom = (startedAt: string, { limits }: DrainView): string =>
  timestamp(Date.parse(startedAt) + limits.timeoutMs);

function emptied(view: MachineView, drain: DrainView): Answer {
  const { machine, now } = view;
  const outcome = inDrain(planDrain(drain));
  if (outcome.kind === 'act') return outcome;
  const left = forceLeft(view);
  if (outcome.kind === 'wait') return { ...outcome, ms: left > 0 ? Math.min(outcome.ms, left) : outcome.ms };
  if (outcome.kind === 'fail') return outcome;
  const forced = endedByForce(drain);
  const found = now < drain.deadline ? confirmationOf(drain) : undefined;
  return act(
    forced ? 'ForcedDrainEnded' : 'DrainSucceeded',
    recording(machine, {
      drain: {
        ...drainRecordOf(machine),
        // That it ended at its deadline says that volumes are to be detached by force (volumes.ts).
        ...(forced && now < drain.deadline && { deadline: timestamp(now) }),
        endedAt: timestamp(now),
        pods: reportOf({ ...drain, pods: leftOf(drain) }),
      },
      ...(forced && !detachesLast(view) && { detachDeadline: timestamp(now + drain.limits.detachMs) }),
    }),
    found?.at === 'unlisted' ? found.message : undefined,
  );
}

/** What the engine of drains answers, as a Machine's step does. */
const inDrain = (outcome: DrainOutcome): Answer =>
  outcome.kind === 'act' ? act(outcome.reason, { do: 'drain', action: outcome.action }) : outcome;

/** What no deletion has on record that begins. */
const NONE = { detachDeadline: null, detachElapsedSeconds: null, heldSince: null } as const;

/** Writes the clocks beside those that stand there, or in place of those of another deletion. */
function recording(machine: Machine, { drain, ...change }: { drain: Partial<Record>; detachDeadline?: string }) {
  const isOthers = machine.status?.deletion && !deletionOf(machine);
  const startedAt = machine.metadata.deletionTimestamp;
  const deletion = isOthers
    ? { startedAt, ...NONE, ...change, drain: { endedAt: null, pods: null, elapsedSeconds: null, ...drain } }
    : { startedAt, drain, ...change };
  return { do: 'recordDeletion', deletion } as const;
}

const mustForce = (view: MachineView): boolean => isForced(view.machine) || isLost(view) || forceLeft(view) <= 0;

/** The kubelet of the Node is silent, or its VM is known to be gone. A Node that is Ready counts as neither. */
export const isLost = (view: MachineView): boolean =>
  view.node.at === 'present' &&
  (hasVanished(view) || wasLost(view) || lostAt(view.node.conditions, heldUntil(view)) <= view.now);

/**
 * Volumes of a lost Node are detached only once its VM is gone: it may be running, and writing to them. Who forces the deletion
 * by label takes that on himself (hack/spec/mcm.md 6.8).
 */
export const detachesLast = (view: MachineView): boolean => isLost(view) && !isForced(view.machine);

/** Force that is not that of time: somebody says so by label, or the Node is lost (hack/spec/mcm.md 6.8). */
export const isGivenUp = (
  view: Pick<MachineView, 'machine' | 'gate'>,
  conditions: readonly Condition[],
  now: number,
): boolean => isForced(view.machine) || lostAt(conditions, heldUntil(view)) <= now;

/** Milliseconds until the drain is forced by time alone: the Node is lost, or the time-out, as it is now, has passed. */
function forceLeft(view: MachineView): number {
  const { node, machine, drain, now } = view;
  const lost = node.at === 'present' ? lostAt(node.conditions, heldUntil(view)) : Infinity;
  const started = Date.parse(drainRecordOf(machine)?.startedAt ?? '');
  const timeout = Number.isNaN(started) ? Infinity : started + (drain?.limits.timeoutMs ?? Infinity);
  return Math.min(lost, timeout) - now;
}

/** The type of the Node condition that says that its machine is being deleted (hack/spec/mcm.md 2.5). */
const CONDITION = 'Terminating';

/** Why a machine is deleted, as the condition says it (hack/spec/mcm.md 2.5). */
const REASONS = ['Unhealthy', 'ScaleDown'] as const;

/**
 * What has yet to be written to the Node of a machine that is deleted: the cordon, and a condition with the reason; a reason that is there
 * stays. By force the cordon is not annotated: such a write never conflicts, however often the Node changes.
 */
export function withdrawal(
  node: Node,
  { reason, now, byForce }: { reason: (typeof REASONS)[number]; now: string; byForce: boolean },
): NodeChange | undefined {
  const told = conditionOf(node, CONDITION)?.status === 'True';
  const condition = conditionAt(node, { type: CONDITION, status: 'True', reason }, now);
  const cordon = byForce ? { unschedulable: true } : cordoned(node);
  return lacking(node, { ...cordon, ...(!told && { condition }) });
}

/**
 * What is to be taken back from the Node of a machine that does not leave, for it was restored from a backup since: the
 * condition, if it says what we say, and the cordon if that was ours, unless the Node is updated in place: then it goes with
 * the update. MCM leaves both; its machines that are Terminating never live again.
 */
export function readmission(node: Node): NodeChange | undefined {
  const { status, reason } = conditionOf(node, CONDITION) ?? {};
  const isTold = status === 'True' && REASONS.some((ours) => ours === reason);
  return lacking(node, {
    ...(isCordonNoted(node) && !isInUpdate(node) && uncordoned(node)),
    ...(isTold && { condition: { type: CONDITION, gone: true } }),
  });
}
