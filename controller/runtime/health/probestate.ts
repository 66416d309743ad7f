/**
 * The state of an API server, judged by probes. A *streak* is an unbroken run of failed probes; one that lasts longer than
 * `unreachableAfterMs` is an outage, a shorter one a blip. Times are wall-clock times, milliseconds since the epoch.
 */
export interface ReachFact {
  /** Time of the first failed probe of the current streak; absent while the server answers and its watches deliver. */
  unreachableSince?: number;
  /** The end of the last outage that was more than a blip, or the time that the process counts from. */
  backSince: number;
  /** When the wall clock was found to have been set, by the clock as it is since; absent while it never was. */
  steppedAt?: number;
}

/** What the next probe is judged by. Times are those of the monotonic clock, but for `backSince`. */
export interface ProbeState {
  /** See {@link ReachFact.unreachableSince}. */
  unreachableSince?: number;
  /** See {@link ReachFact.backSince}: on the wall clock, for it is compared with timestamps. */
  backSince: number;
  /** After an outage: since when it answers again, while lists newer than that are awaited. */
  answersSince?: number;
  /** No probe has ever failed: if the first lists come soon, nothing was interrupted. */
  unbroken?: true;
}

/** What one probe found. Times are those of the monotonic clock, but for `endedAt`. */
export interface Probe {
  /** When it began. */
  at: number;
  /** When it had its answer, or was given up, and the caches were looked at; on the wall clock. */
  endedAt: number;
  answered: boolean;
  /** When the quietest of the server's caches last had news of it; Infinity while there is none. */
  heardAt: number;
  /** When the oldest list of these caches was asked for; Infinity while there is none, -Infinity while a needed one is missing. */
  listedAt: number;
}

/** For how long a streak counts as a blip, and caches may hear nothing, in milliseconds. */
export interface ReachLimits {
  unreachableAfterMs: number;
  silentMs: number;
}

/**
 * Until the first probe has ended and the lists that are needed are in, a server counts as in an outage: a process that has
 * just started judges nothing.
 */
export const unprobed = (
  now: number,
  { from, unreachableAfterMs }: { from: number; unreachableAfterMs: number },
): ProbeState => ({
  unreachableSince: now - unreachableAfterMs - 1,
  answersSince: now,
  backSince: from,
  unbroken: true,
});

/**
 * How the server stands after one more probe (hack/spec/mcm.md 8.2, Annex B). A good probe ends the streak, so that blips do not add up
 * (mends MCM, whose clock runs on). An outage ends only when the caches were listed anew from after the
 * first good probe: a server that answers while its watches are dead shows an old world. The streak that each
 * process begins with ends so, too; it was an outage if it lasted for longer than a blip.
 */
export function after(before: ProbeState, probe: Probe, { unreachableAfterMs, silentMs }: ReachLimits): ProbeState {
  const { unreachableSince, backSince } = before;
  const delivers = probe.at - probe.heardAt <= silentMs;
  if (unreachableSince === undefined)
    return probe.answered && delivers ? before : { unreachableSince: probe.at, backSince };
  if (!probe.answered) return { unreachableSince, backSince };
  if (probe.at - unreachableSince <= unreachableAfterMs)
    return delivers ? { backSince } : { unreachableSince, backSince };
  const answersSince = before.answersSince ?? probe.at;
  if (probe.listedAt < answersSince) return { ...before, answersSince };
  const isSteady = before.unbroken && probe.at - answersSince <= unreachableAfterMs;
  return { backSince: isSteady ? backSince : probe.endedAt };
}

/**
 * A process that was frozen probed nothing meanwhile: whatever happened, the server counts as unreachable since the last probe.
 * @param at `latestMs` is the longest time between two looks
 */
export function unlessLate(
  state: ProbeState,
  { now, lookedAt, latestMs }: { now: number; lookedAt: number; latestMs: number },
): ProbeState {
  if (now - lookedAt <= latestMs) return state;
  return { unreachableSince: Math.min(lookedAt, state.unreachableSince ?? lookedAt), backSince: state.backSince };
}

/**
 * After the wall clock was set, what happened meanwhile is unknown: the machine may have been suspended, or restored from a snapshot. It is
 * treated as an outage: the server counts as unreachable until it has answered and was listed anew, and what is compared with timestamps
 * counts from then on, whether the clock was wrong before or is now.
 * @param now on the monotonic clock
 * @param wall the same moment on the wall clock
 */
export const stepped = (
  now: number,
  { wall, unreachableAfterMs }: { wall: number; unreachableAfterMs: number },
): ProbeState => ({
  unreachableSince: now - unreachableAfterMs - 1,
  backSince: wall,
});

/** An object that is being deleted no longer waits for a server whose probes have failed for longer, milliseconds. */
export const GIVEN_UP_MS = 30_000;

/**
 * For how long probes have failed one after the other, milliseconds; undefined once one had its answer. Only what was
 * looked at counts: unlike {@link ProbeState.unreachableSince} it is never dated back, and a process that stood still has seen nothing meanwhile.
 * @param before the same, before this probe
 * @param probe `elapsedMs` since the end of the probe before, or, for the first that failed, since its own beginning;
 * `mostMs` is the longest that this takes
 */
export const failedFor = (
  before: number | undefined,
  { answered, elapsedMs, mostMs }: { answered: boolean; elapsedMs: number; mostMs: number },
): number | undefined => (answered ? undefined : (before ?? 0) + Math.min(elapsedMs, mostMs));

/** The server was unreachable for longer than a blip. */
export const isUnreachable = (
  { unreachableSince }: Pick<ReachFact, 'unreachableSince'>,
  now: number,
  unreachableAfterMs: number,
): boolean => unreachableSince !== undefined && now - unreachableSince > unreachableAfterMs;
