import { ApiError, isFailure, isJudged } from './errors.ts';

/**
 * How often in a row before, and for how long (milliseconds), a write may have met a conflict or a server with too much to do, or got no
 * answer. A fresh read and a little patience end that; what lasts longer than any cache may lag is somebody's no, in other words than 403.
 */
const CHANCE = { before: 5, ms: 60_000 };

/**
 * Whether a write counts as refused now that it came to nothing again: at once when the server has judged it, the second time when a
 * server or webhook failed, and else when it cannot be chance any longer (hack/decisions/0048).
 * @param before how often it came to nothing in a row, and since when (monotonic clock, as `now`)
 */
export function isRefusal(error: unknown, before: { count: number; since: number }, now: number): boolean {
  const { count, since } = before;
  if (isJudged(error)) return true;
  if (isFailure(error)) return count > 0;
  return error instanceof ApiError && count >= CHANCE.before && now - since >= CHANCE.ms;
}
