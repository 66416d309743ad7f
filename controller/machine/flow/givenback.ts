/** A clock of a deletion that runs, milliseconds. */
export interface Running {
  startedAt: number;
  deadline: number;
  /** How long it had run, all in all, whenever it began anew. */
  elapsedMs: number;
}

/** A clock that has run for so many times its setting does not begin anew any more. */
const MOST = 3;

/**
 * The clock after a time in which nothing could be done. It has the time back that was lost; the whole of it where it ran out meanwhile, or
 * where nobody knows how much was lost, until that was given for a few times its setting: what is lost again and again is not to go on for ever
 * (hack/decisions/0051 L80).
 * @param at `lostFrom`: since when nothing could be done, as far as anybody knows
 */
export function givenBack(clock: Running, { now, lostFrom }: { now: number; lostFrom?: number }): Running {
  const { startedAt, deadline, elapsedMs } = clock;
  const timeMs = deadline - startedAt;
  const isAnew = (lostFrom === undefined || deadline <= now) && elapsedMs < MOST * timeMs;
  if (isAnew) {
    const ranMs = Math.max(0, Math.min(timeMs, (lostFrom ?? now) - startedAt));
    return { startedAt: now, deadline: now + timeMs, elapsedMs: elapsedMs + ranMs };
  }
  const lostMs = now - Math.max(startedAt, lostFrom ?? now);
  const from = Math.min(now, startedAt + Math.max(0, lostMs));
  return { startedAt: from, deadline: from + timeMs, elapsedMs };
}
