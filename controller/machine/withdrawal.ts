import { ANNOTATION_CORDONED } from '../../schemas/keys.ts';
import { conditionAt, conditionOf, lacking, type NodeChange } from '../nodechange.ts';
import type { Node } from '../runtime/core.ts';

/** The type of a Node's condition that tells that its machine leaves (MCM 2.5). */
const CONDITION = 'Terminating';

/** What the Node of a machine that leaves does not show yet: it takes no more pods, and tells why; a reason that it gives stays. */
export function withdrawal(node: Node, reason: 'Unhealthy' | 'ScaleDown', now: string): NodeChange | undefined {
  const told = conditionOf(node, CONDITION)?.status === 'True';
  const condition = conditionAt(node, { type: CONDITION, status: 'True', reason }, now);
  const change = lacking(node, { unschedulable: true, ...(!told && { condition }) });
  // The cordon of somebody else is not ours to take off again.
  return change?.unschedulable ? { ...change, annotations: { [ANNOTATION_CORDONED]: 'true' } } : change;
}

/**
 * What is to be taken back from the Node of a machine that does not leave, for it was restored from a backup since: the
 * condition, and the cordon if that was ours. MCM leaves both; its machines that are Terminating never live again.
 */
export function readmission(node: Node): NodeChange | undefined {
  const isOurs = node.metadata.annotations?.[ANNOTATION_CORDONED] !== undefined;
  const isTold = conditionOf(node, CONDITION)?.status === 'True';
  return lacking(node, {
    ...(isOurs && { unschedulable: false, annotations: { [ANNOTATION_CORDONED]: null } }),
    ...(isTold && { condition: { type: CONDITION, gone: true } }),
  });
}
