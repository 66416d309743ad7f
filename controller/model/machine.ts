import type { Machine } from '../../schemas/machine.ts';
import type { MachineSet } from '../../schemas/machineset.ts';

/** Milliseconds until the Machine counts as available: 0 now, Infinity while it is not ready (hack/decisions/0054). */
export function availableIn(set: MachineSet, { status, metadata }: Machine, now: number): number {
  const phase = status?.currentStatus?.phase;
  if (metadata.deletionTimestamp || (phase !== 'Running' && phase !== 'Available')) return Infinity;
  const { minReadySeconds, minReadySecondsPolicy } = set.spec ?? {};
  const waitMs = minReadySecondsPolicy === 'Honor' ? (minReadySeconds ?? 0) * 1000 : 0;
  if (waitMs === 0) return 0;
  const since = Date.parse(status?.currentStatus?.lastUpdateTime ?? '') || now;
  return Math.max(0, since + waitMs - now);
}
