import type { MachineClass } from '../../../schemas/machineclass.ts';
import type { ObjectCondition } from '../../../schemas/reported.ts';
import { type SweptReason, sweptReasons } from './reasons.ts';

/** Type of the condition. */
export const ORPHANS_SWEPT = 'OrphansSwept';

/**
 * The conditions of a class with what came of its last sweep; undefined when that stands there already, so that sweeps
 * that go on cost no writes.
 * @param at RFC 3339
 */
export function conditionsWith(
  { status, metadata }: MachineClass,
  reason: SweptReason,
  at: string,
): ObjectCondition[] | undefined {
  const before = status?.conditions ?? [];
  const known = before.find(({ type }) => type === ORPHANS_SWEPT);
  if (known?.reason === reason) return undefined;
  const is = reason === 'Swept' ? 'True' : 'False';
  const condition: ObjectCondition = {
    type: ORPHANS_SWEPT,
    status: is,
    reason,
    message: sweptReasons[reason],
    lastTransitionTime: known?.status === is ? known.lastTransitionTime : at,
    ...(metadata.generation !== undefined && { observedGeneration: metadata.generation }),
  };
  return [...before.filter(({ type }) => type !== ORPHANS_SWEPT), condition];
}
