import { conditionAt, conditionOf, lacking, type NodeChange } from '../../nodes/change.ts';
import { cordoned, isCordonNoted, uncordoned } from '../../nodes/cordon.ts';
import { isInUpdate } from '../../nodes/inplace.ts';
import type { Node } from '../../runtime/k8s/core.ts';

/** The type of a Node's condition that tells that its machine leaves (MCM 2.5). */
const CONDITION = 'Terminating';

/** Why a machine leaves, as the condition says it (MCM 2.5). */
const REASONS = ['Unhealthy', 'ScaleDown'] as const;

/**
 * What the Node of a machine that leaves does not show yet: it takes no more pods, and tells why; a reason that it gives stays. By
 * force the cordon is not noted: such a write is refused to nobody, however fast the Node changes.
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
