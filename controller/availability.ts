import type { Machine } from '../schemas/machine.ts';
import type { MachineSet } from '../schemas/machineset.ts';

/** Milliseconds until the Machine counts as available: 0 now, Infinity while it is not ready (minReadySeconds, decisions 3). */
export function availableIn(set: MachineSet, { status, metadata }: Machine, now: number): number {
  const phase = status?.currentStatus?.phase;
  if (metadata.deletionTimestamp || (phase !== 'Running' && phase !== 'Available')) return Infinity;
  const waitMs = (set.spec?.minReadySeconds ?? 0) * 1000;
  if (waitMs === 0) return 0;
  const since = Date.parse(status?.currentStatus?.lastUpdateTime ?? '') || now;
  return Math.max(0, since + waitMs - now);
}
