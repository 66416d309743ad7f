import type { Condition } from '../../runtime/k8s/core.ts';

/** A Node that has been out of reach for so long answers to no eviction (MCM 6.8). */
const LOST_MS = 300_000;
/** Longest time between two evictions of a pod that may not leave yet (MCM 7.3). */
export const EVICTION_RETRY_MS = 20_000;

/**
 * When a Node counts as lost, so that its pods are deleted by force: five minutes after it ceased to be Ready, or after
 * its file system became read-only (MCM 6.8). Infinity while nothing speaks against it. Milliseconds since the epoch.
 * @param from what was so before this moment counts as so only since then: nobody could see it
 */
export function lostAt(conditions: readonly Condition[], from: number): number {
  const since = conditions
    .filter(({ type, status }) => isLoss[type]?.(status))
    .map(({ lastTransitionTime }) => Date.parse(lastTransitionTime ?? ''))
    .filter((moment) => !Number.isNaN(moment));
  return Math.max(from, Math.min(Infinity, ...since)) + LOST_MS;
}

const isLoss: Readonly<Record<string, (status: string) => boolean>> = {
  Ready: (status) => status !== 'True',
  ReadonlyFilesystem: (status) => status !== 'False',
};

/**
 * After how many milliseconds of refusals a pod is deleted: `maxEvictRetries` at MCM's pace, however often it is asked. As many as fit
 * into the drain's time, MCM's default among them, are no bound of their own.
 */
export function refusedMost(maxEvictRetries: number, timeoutMs: number): number {
  const ms = maxEvictRetries * EVICTION_RETRY_MS;
  return ms < timeoutMs ? ms : Infinity;
}

/** Whether a label's value is a true that Go's strconv.ParseBool reads (MCM 2.3, `force-deletion`). */
export const isGoTrue = (value: string | undefined): boolean =>
  value !== undefined && ['1', 't', 'T', 'true', 'TRUE', 'True'].includes(value);
