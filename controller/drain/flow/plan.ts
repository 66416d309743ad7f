import { act, named, type Outcome, pass, wait } from '../../flow/flow.ts';
import type { Condition } from '../../runtime/k8s/core.ts';
import { confirmed } from './confirming.ts';
import type { BlindReason, DrainOutcome, DrainReason, DrainView, PodFact, Room } from './view.ts';
import { type Waves, wavesOf } from './waves.ts';

/** How long pods are deleted by force before the drain ends with what is left (hack/spec/mcm.md 6.8). */
export const FORCED_MS = 60_000;
/** How long at the most, while there are pods to which no deletion has been sent: calls of others may hang. */
const UNSENT_MS = 300_000;
/** How often a drain looks by itself: the report in the status is no older than this. */
export const LOOK_MS = 5_000;
/** How soon one looks again that has not held all pods against the rules: others have their turn meanwhile. */
const TURN_MS = 20;

/** What holds a drain up that knows no pods, and what to do. */
const PODS_UNKNOWN =
  'the pods of the target cluster cannot be listed, so that nobody knows what the Node runs: the log of the controller says why; if the list is too large, raise --cluster-cache-mib or --all-clusters-cache-mib; by force the drain ends without them';

/** The same of a Node that is said to have more than any can. */
const CROWDED =
  'the API server of the target cluster lists more pods of the Node, claims of these and VolumeAttachments than any Node can have, and none of its pods is looked at: find out who makes them; by force the drain ends without them';

/** The same of rules. */
const RULES_UNKNOWN =
  'the MachineDrainRules of the namespace cannot be listed, or can be followed no longer, so that nobody knows which pods may be asked to leave: the log of the controller says why; by force the drain ends without them';

/**
 * The next move of a drain (hack/spec/mcm.md 7). Until the deadline pods are evicted, and no disruption budget is bypassed; after it they
 * are deleted without grace. Passes when the drain has ended. The caller has cordoned the Node. Before the deadline no drain ends until a
 * list from the API server itself shows no other pod: the watch may lag behind (hack/decisions/0012). While the pods cannot be listed, the
 * deadline ends nothing: only force does.
 */
export function planDrain(view: DrainView): DrainOutcome {
  if (!view.podsKnown && !(view.forced && view.now >= view.deadline + FORCED_MS)) return podsUnknown(view);
  return view.now >= view.deadline ? force(view) : evict(view);
}

/** Waits for the list of pods, or of the rules for them: by reasons alone of which the table says that time does not run. */
export const podsUnknown = ({ rulesUnknown, crowded }: DrainView): Outcome<never, BlindReason> =>
  rulesUnknown
    ? wait('DrainRulesUnknown', LOOK_MS, RULES_UNKNOWN)
    : wait('PodsUnknown', LOOK_MS, crowded ? CROWDED : PODS_UNKNOWN);

/** The drain ran out of time, was forced, or left volumes behind: what is attached has to be detached by force. */
export const endedByForce = ({ now, deadline, volumesLate }: DrainView): boolean => now >= deadline || volumesLate;

/** Pods that the drain still waits for. */
export const leftOf = ({ pods }: DrainView): PodFact[] => pods.filter(({ killed }) => !killed);

function force(view: DrainView): DrainOutcome {
  const { now, deadline, room } = view;
  const left = leftOf(view).filter((pod) => !isSpared(view, pod));
  const end = deadline + (left.some(isUnsent) && now >= deadline + FORCED_MS ? UNSENT_MS : FORCED_MS);
  if (left.length === 0 || now >= end) return pass;
  if (view.labelsDue) return act('GetLabels', { do: 'lookUpLabels', labels: view.labelsDue });
  const isDue = ({ inFlight, deleteAt, undecided }: PodFact) =>
    inFlight !== 'deletion' && deleteAt <= now && !undecided;
  const due = inRoom('deletion', left.filter(isDue), room.deletion);
  if (due.length > 0) return act('DeletePods', { do: 'deletePods', pods: due, byForce: true });
  return view.unjudged ? wait('GetLabels', TURN_MS) : waitFor(view, left, end);
}

/** There was no room yet to delete it: a pod whose deletion hangs, or was refused, has had its turn. */
const isUnsent = ({ inFlight, deleteAt, undecided }: PodFact): boolean =>
  inFlight !== 'deletion' && deleteAt === Number.NEGATIVE_INFINITY && !undecided;

/** That time is over is no reason to delete a pod that a rule may skip: it ends with the VM, as one that is skipped. */
const isSpared = ({ forced }: DrainView, { maySkip, undecided }: PodFact): boolean =>
  maySkip === true && !undecided && !forced;

function evict(view: DrainView): DrainOutcome {
  const { pods, room, labelsDue, undecided } = view;
  if (view.lookUp.length > 0) return act('GetVolumes', { do: 'lookUpClaims', claims: view.lookUp });
  if (labelsDue) return act('GetLabels', { do: 'lookUpLabels', labels: labelsDue });
  const moving = handOver(view);
  if (moving.kind === 'act') return moving;
  if (view.unjudged) return wait('GetLabels', TURN_MS);
  if (view.labelsPending) return wait('GetLabels', LOOK_MS);
  if (undecided !== undefined) return wait('DrainRulesUndecided', LOOK_MS, undecided);
  if (pods.length === 0) return moving.kind === 'pass' ? confirmed(view) : moving;
  const waves = wavesOf(pods);
  const turn = moving.kind === 'pass' ? nextInTurn(view, waves) : undefined;
  const asked = [...waves.leaving.filter((pod) => !pod.serial && isDue(view, pod)), ...(turn ? [turn] : [])];
  const due = withinBudgets(pods, asked);
  const isToGo = (pod: PodFact) => isOverRetryLimit(view, pod);
  const overRetryLimit = inRoom('deletion', due.filter(isToGo), room.deletion);
  if (overRetryLimit.length > 0) return act('DeletePods', { do: 'deletePods', pods: overRetryLimit, byForce: false });
  const evicted = inRoom(
    'eviction',
    due.filter((pod) => !isToGo(pod)),
    room.eviction,
  );
  if (evicted.length > 0) return act('EvictPods', { do: 'evictPods', pods: evicted });
  const waiting = waitForTurn(view, waves);
  return moving.kind === 'wait' && !waves.leaving.some(({ answer }) => answer) ? moving : waiting;
}

/** Waits for those whose turn it is, and says who else waits. */
function waitForTurn(view: DrainView, { order, leaving, completing, later }: Waves): DrainOutcome {
  const [first] = completing;
  const follow = later.length > 0 ? `, then ${later.length} of a higher order` : '';
  if (leaving.length === 0 && first) {
    const who = `${first.namespace}/${first.name} is to complete, by ${first.by}${follow}`;
    return wait('PodsCompleting', Math.min(LOOK_MS, view.deadline - view.now), who);
  }
  const outcome = waitFor(view, leaving, view.deadline);
  if (outcome.kind !== 'wait' || outcome.message !== undefined || !follow) return outcome;
  return { ...outcome, message: `pods of order ${order} leave${follow}` };
}

/** A pod that is on its way out is left alone: a second eviction would only take its grace from it. */
const isDue = (view: DrainView, pod: PodFact): boolean =>
  !pod.inFlight && pod.endsAt === undefined && (isOverRetryLimit(view, pod) ? pod.deleteAt : pod.retryAt) <= view.now;

/** Its budget has had its time: it is not asked any more (hack/spec/mcm.md 7.3). */
function isOverRetryLimit({ now, limits: { refusedMs } }: DrainView, { refusedSince, answer }: PodFact): boolean {
  if (refusedMs === 0) return true;
  return refusedSince !== undefined && answer?.result === 'Refused' && now >= refusedSince + refusedMs;
}

/** Of those that a budget lets go by now no more than it lets go: the others would be refused. */
function withinBudgets(all: readonly PodFact[], due: readonly PodFact[]): PodFact[] {
  const taken = new Map<string, number>();
  const count = (budget: string) => taken.set(budget, (taken.get(budget) ?? 0) + 1);
  for (const { inFlight, budget } of all) if (inFlight && budget !== undefined) count(budget);
  return due.filter(({ freed }) => {
    if (!freed) return true;
    if ((taken.get(freed.budget) ?? 0) >= freed.allowed) return false;
    count(freed.budget);
    return true;
  });
}

/** Pods with volumes leave one after the other, the most important first; one that may not leave lets others pass (hack/spec/mcm.md 7.4). */
function nextInTurn(view: DrainView, { leaving }: Waves): PodFact | undefined {
  const isInLine = ({ serial, lookedUp }: PodFact) => serial && lookedUp !== 'failed';
  if (view.pods.some((pod) => isInLine(pod) && pod.inFlight)) return undefined;
  const line = leaving.filter(isInLine);
  const next = line.toSorted(byImportance).find((pod) => isDue(view, pod) || isUnfollowed(view, pod));
  return next?.lookedUp === 'known' ? next : undefined;
}

/** It was asked to leave by somebody else, or before a restart: its volumes are followed all the same. */
const isUnfollowed = ({ now }: DrainView, { endsAt, followed, retryAt }: PodFact): boolean =>
  endsAt !== undefined && !followed && retryAt <= now;

const byImportance = (a: PodFact, b: PodFact): number =>
  b.priority - a.priority || (a.namespace + a.name < b.namespace + b.name ? -1 : 1);

function waitFor({ now }: DrainView, pods: readonly PodFact[], end: number): DrainOutcome {
  const first = pods.find(({ answer, endsAt }) => answer && endsAt === undefined);
  const next = Math.min(...pods.map(({ retryAt }) => retryAt).filter((moment) => moment > now), Infinity);
  const ms = Math.min(LOOK_MS, end - now, next - now);
  if (!first?.answer) return wait('PodsTerminating', ms);
  return wait(REASONS[first.answer.result], ms, `${first.namespace}/${first.name}: ${first.answer.reason}`);
}

const REASONS = {
  Refused: 'EvictionBlocked',
  Misconfigured: 'PodDisruptionBudgetMisconfigured',
  Failed: 'EvictionFailed',
} as const satisfies Record<string, DrainReason>;

/** A Node that has been out of reach for so long answers to no eviction (hack/spec/mcm.md 6.8). */
const LOST_MS = 300_000;
/** Usual time, give or take a fifth, between two evictions of a pod that may not leave yet (hack/spec/mcm.md 7.3). */
export const EVICTION_RETRY_MS = 20_000;

/**
 * When a Node counts as lost, so that its pods are deleted by force: five minutes after it ceased to be Ready, or after
 * its file system became read-only (hack/spec/mcm.md 6.8). Infinity while nothing speaks against it. Milliseconds since the epoch.
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

/** Whether a label's value is a true that Go's strconv.ParseBool reads (hack/spec/mcm.md 2.3, `force-deletion`). */
export const isGoTrue = (value: string | undefined): boolean =>
  value !== undefined && ['1', 't', 'T', 'true', 'TRUE', 'True'].includes(value);

/**
 * The volumes of the last pod that left are detached from the Node, and attached elsewhere or out of time: the next pod may leave
 * (hack/spec/mcm.md 7.4). A volume that stays attached here is a failure that the drain remembers; one that no other Node attaches is not.
 * Where volumes are not to be waited for, this wait does not begin, or ends.
 */
export function handOver(view: DrainView): DrainOutcome {
  const { handover, now, volumesUnawaited } = view;
  if (volumesUnawaited) return handover ? act('VolumesMoved', { do: 'endHandover', late: false }) : pass;
  if (!handover) return strayed(view);
  const { pod, here, elsewhere, detachBy, reattachBy } = handover;
  if (here) {
    if (now >= detachBy) return act('VolumesMoved', { do: 'endHandover', late: true });
    return wait('WaitingForVolumes', Math.min(LOOK_MS, detachBy - now), `volumes of ${pod} are still attached`);
  }
  if (elsewhere) return act('VolumesMoved', { do: 'endHandover', late: false });
  if (reattachBy === undefined) return act('WaitingForVolumes', { do: 'noteDetached' });
  if (now >= reattachBy) return act('VolumesMoved', { do: 'endHandover', late: false });
  return wait(
    'WaitingForVolumes',
    Math.min(LOOK_MS, reattachBy - now),
    `volumes of ${pod} are not attached elsewhere yet`,
  );
}

/**
 * Volumes of a pod that left before the first look, or before this process started: they are detached from the Node, or have had their
 * time.
 */
function strayed({ strays, now }: DrainView): DrainOutcome {
  if (!strays) return pass;
  const { volumes, detachBy } = strays;
  if (now >= detachBy) return act('VolumesMoved', { do: 'giveUpVolumes', volumes });
  return wait(
    'WaitingForVolumes',
    Math.min(LOOK_MS, detachBy - now),
    `volumes of no pod are still attached: ${named(volumes)}`,
  );
}

type Kind = NonNullable<PodFact['inFlight']>;

/** Whether the pod was asked before, to no purpose: the API server did not answer, say, or it is there though it was deleted. */
export const isAgain = (kind: Kind, { answer, deleteAt }: Pick<PodFact, 'answer' | 'deleteAt'>): boolean =>
  kind === 'eviction' ? answer?.result === 'Failed' : deleteAt !== Number.NEGATIVE_INFINITY;

/**
 * Of those that are due as many as there is room for. Those that were asked to no purpose have room of their own, in the order in which they
 * are due: whatever holds them up holds up no other.
 */
export function inRoom(kind: Kind, due: readonly PodFact[], room: Room): PodFact[] {
  const again = due.filter((pod) => isAgain(kind, pod)).toSorted((a, b) => dueAt(kind, a) - dueAt(kind, b));
  const first = due.filter((pod) => !isAgain(kind, pod));
  return [...first.slice(0, room.first), ...again.slice(0, room.again)];
}

/** A pod whose volumes could not be looked up was not asked itself. */
const dueAt = (kind: Kind, { retryAt, deleteAt }: PodFact): number =>
  Math.max(0, kind === 'eviction' ? retryAt : deleteAt);
