import { FORCED, LABEL_FORCE_DRAIN } from '../../../schemas/keys.ts';
import type { Machine } from '../../../schemas/machine.ts';
import { leftOf, lostAt, planDrain } from '../../drain/flow/plan.ts';
import { act } from '../../flow/flow.ts';
import { isPreservedFailed } from '../../model/machine.ts';
import { IN_PLACE_CONDITION, inPlaceReason } from '../../nodes/change.ts';
import { type Condition, conditionOf, type Node } from '../../runtime/k8s/core.ts';
import type { Answer } from './drivercall.ts';
import { heldUntil } from './outage.ts';
import type { MachineView } from './view.ts';

/**
 * The drain of a living machine's Node, for an update in place (hack/spec/mcm.md 6.11) or because the machine Failed and is preserved
 * (hack/spec/mcm.md 6.12). Its clock is the condition that tells of it: it began, or was forced, when that was written.
 */

/** The type of a Node's condition that tells of preservation (hack/spec/mcm.md 2.5). */
export const PRESERVED_CONDITION = 'Preserved';
/** How the message of the condition begins while the Node is drained, and once it is drained by force. */
export const DRAINING = { gently: 'Node is being drained', byForce: 'Node is being drained by force' } as const;

/** How a drain of a living machine's Node stands. */
export type Emptying =
  | { at: 'going'; answer: Answer | undefined }
  /** Pods that would not go. */
  | { at: 'ended'; left: number };

/**
 * Until when the pods of a living machine's Node are only evicted, milliseconds since the epoch; undefined: no drain.
 * A drain that began before `from` has its whole time from there (outage.ts); force alone has no such time.
 * @param at `timeoutMs`: with the time in which nothing was known of the pods
 */
export function livingDeadline(
  { machine, node }: { machine: Machine; node: Node },
  { now, timeoutMs, from }: { now: number; timeoutMs: number; from: number },
): number | undefined {
  const condition = tellingOf(machine, node, now);
  if (!condition?.message?.startsWith(DRAINING.gently)) return undefined;
  const since = Math.max(Date.parse(condition.lastHeartbeatTime ?? '') || now, from);
  return isForced(condition) ? since : since + timeoutMs;
}

/** What the drain does next; undefined while nothing of it is known. */
export function emptyingOf({ drain }: MachineView): Emptying | undefined {
  if (!drain) return undefined;
  const outcome = planDrain(drain);
  if (outcome.kind === 'pass') return { at: 'ended', left: leftOf(drain).length };
  if (outcome.kind !== 'act') return { at: 'going', answer: undefined };
  return { at: 'going', answer: act(outcome.reason, { do: 'drain', action: outcome.action }) };
}

/** What holds the drain up, and how soon it looks again by itself in milliseconds. */
export function emptyingTrouble({ drain, machine }: MachineView): { message?: string; ms: number } {
  const outcome = drain && !machine.metadata.deletionTimestamp ? planDrain(drain) : undefined;
  if (outcome?.kind !== 'wait') return { ms: Infinity };
  const { ms, message } = outcome;
  return message === undefined ? { ms } : { ms, message };
}

/** Whether the drain may use force: somebody says so by label, or the Node is lost (hack/spec/mcm.md 6.8). */
export const mayForce = (view: MachineView, { status }: Node): boolean =>
  view.machine.metadata.labels?.[LABEL_FORCE_DRAIN] === FORCED ||
  lostAt(status?.conditions ?? [], heldUntil(view)) <= view.now;

/** The condition says that the drain is forced. */
export const isForced = ({ message }: Pick<Condition, 'message'>): boolean =>
  message?.startsWith(DRAINING.byForce) ?? false;

/** The condition of the Node says that the drain of the living machine is forced. */
export function isLivingForced(machine: Machine, node: Node, now: number): boolean {
  const condition = tellingOf(machine, node, now);
  return condition !== undefined && isForced(condition);
}

/** The condition of the Node that would tell of a drain. */
function tellingOf(machine: Machine, node: Node, now: number): Condition | undefined {
  if (inPlaceReason(node) === 'SelectedForUpdate') return conditionOf(node, IN_PLACE_CONDITION);
  return isPreservedFailed(machine, now) ? conditionOf(node, PRESERVED_CONDITION) : undefined;
}
