import type { MachineClass } from '../../../schemas/machineclass.ts';
import type { ObjectCondition } from '../../../schemas/reported.ts';
import { type SweptReason, sweptReasons, type VerifiedReason, verifiedReasons } from './flow/reasons.ts';

/** What a sweep tells of a class, by types of conditions. */
export interface ClassReasons {
  /** What came of the sweep. */
  OrphansSwept: SweptReason;
  /** Whether the driver can say that a VM is gone. */
  VMDeletionVerified: VerifiedReason;
}

const TRUE: ReadonlySet<string> = new Set(['Swept', 'StatusSupported']);

const says: Readonly<Record<string, string>> = { ...sweptReasons, ...verifiedReasons };

/**
 * The conditions of a class with what a sweep tells of it; undefined when that stands there already, so that sweeps
 * that go on cost no writes.
 * @param at RFC 3339
 */
export function conditionsWith(
  { status, metadata }: MachineClass,
  reasons: ClassReasons,
  at: string,
): ObjectCondition[] | undefined {
  const before = status?.conditions ?? [];
  const news = Object.entries(reasons).filter(([type, reason]) => find(before, type)?.reason !== reason);
  if (news.length === 0) return undefined;
  const told = news.map(([type, reason]): ObjectCondition => {
    const known = find(before, type);
    const is = TRUE.has(reason) ? 'True' : 'False';
    return {
      type,
      status: is,
      reason,
      message: says[reason] ?? '',
      lastTransitionTime: known?.status === is ? known.lastTransitionTime : at,
      ...(metadata.generation !== undefined && { observedGeneration: metadata.generation }),
    };
  });
  return [...before.filter(({ type }) => !find(told, type)), ...told];
}

const find = (conditions: readonly ObjectCondition[], wanted: string): ObjectCondition | undefined =>
  conditions.find(({ type }) => type === wanted);
