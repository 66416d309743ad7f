import { type Clock, wallOf } from '../runtime/clock.ts';
import type { Pod, VolumeAttachment } from '../runtime/k8s/workload.ts';
import { claimsOf, isAttached, isCrowded, isDrained, volumeClaimsOf, volumeOfAttachment } from '../targets/pods.ts';
import type { Volume } from './claims.ts';
import type { DrainView, HandoverFact, ListedFact, PodFact } from './flow/view.ts';
import { judgePods } from './judging.ts';
import { RoomInUse } from './lookup.ts';
import type { DrainMemory, DrainRequest, Handover } from './memory.ts';
import { freshPod, nextAsk, shortened } from './podtracker.ts';
import type { Drains } from './tracker.ts';
import { isListed } from './volumelist.ts';
import { attachedFacts } from './volumes.ts';

/** The grace period of a pod that names none (core/v1). */
const DEFAULT_GRACE_S = 30;

/**
 * No Node has more pods, volumes of these and VolumeAttachments together: kubelets take some hundreds of pods. Who says so has more than may be
 * looked at at once (hack/decisions/0028 T54, T68).
 */
const MOST = 5_000;

/** Everything that a decision about this drain needs: what the caches show, and what calls brought to light. */
export function observeDrain({ drains, clock }: { drains: Drains; clock: Clock }, request: DrainRequest): DrainView {
  const { target, deadline, forced, limits, clocksFrom = 0, volumesUnawaited } = request;
  const memory = drains.of(request);
  const rulesUnknown = request.rules.at === 'unknown';
  const { there, attached, attachments, crowded } = onNode(request);
  const podsKnown = target.pods.synced && !rulesUnknown && !crowded;
  memory.blind = podsKnown ? { ms: drains.blindMs(request.uid) } : { since: drains.now(), ...memory.blind };
  const uses = usesOf(there);
  const wall = (moment: number) => wallOf(clock, moment);
  // While the target API server is unreachable nothing moves, and while the control API server is, nothing is done.
  const since = (moment: number) => Math.max(wall(moment), clocksFrom);
  const { leaving, spared, ...judged } = judgePods(memory, there.filter(isDrained));
  const pods = leaving.map(({ pod, said }) => ({ ...podFact(pod, memory, { uses, wall, attachments }), ...said }));
  forgetGone(memory, pods);
  countKept(memory);
  const { strays, ...volumes } = attachedFacts(memory, { attachments, there, spared });
  if (podsKnown && attachments) keepKnown(memory, there, attachments);
  memory.straysSince = strays.length > 0 && !memory.handover ? (memory.straysSince ?? drains.now()) : undefined;
  return {
    now: clock.now(),
    deadline,
    forced,
    podsKnown,
    ...(target.pods.synced && rulesUnknown && { rulesUnknown }),
    ...(crowded && { crowded }),
    ...judged,
    pods,
    listed: listedFact(memory, pods, since),
    ...(memory.handover && { handover: handoverFact(memory.handover, { ...request, attached }, since) }),
    ...volumes,
    ...(memory.straysSince !== undefined && {
      strays: { volumes: strays, detachBy: since(memory.straysSince) + limits.detachMs },
    }),
    ...(volumesUnawaited && { volumesUnawaited }),
    volumesLate: memory.volumesLate,
    room: drains.flights.room(memory),
    reportDue: drains.reportDue(memory),
    limits,
  };
}

/** What the Node brings: each of it is weighed before the next is gone through. */
function onNode({ target: { pods, attachments }, nodeName }: DrainRequest): Brought {
  const attached = attachments.count('node', nodeName);
  const index = isCrowded(pods, nodeName) ? 'running' : 'node';
  let left = MOST - attached - pods.count(index, nodeName);
  const there = left < 0 ? [] : pods.by(index, nodeName);
  for (const { spec } of there) left -= spec?.volumes?.length ?? 0;
  const seen = attached <= MOST ? attachments.by('node', nodeName) : undefined;
  return {
    ...(left < 0 ? { there: [], crowded: true } : { there }),
    attached: seen ?? [],
    attachments: attachments.synced ? seen : undefined,
  };
}

interface Brought {
  there: readonly Pod[];
  /** What is seen of them, if only of before. */
  attached: readonly VolumeAttachment[];
  /** Undefined where they cannot be listed, or are too many themselves. */
  attachments: readonly VolumeAttachment[] | undefined;
  crowded?: true;
}

/** What the API server's own list says, as far as that counts by what is seen now. */
function listedFact({ listed, request }: DrainMemory, pods: readonly PodFact[], since: Wall): ListedFact {
  const { target, nodeName } = request;
  const isCordoned = target.nodes.get(nodeName)?.spec?.unschedulable === true;
  listed.follow({ isEmpty: pods.length === 0, isCordoned });
  return listed.fact(since);
}

/** What the wall clock shows for a moment of the monotonic one. */
type Wall = (moment: number) => number;

function podFact(
  pod: Pod,
  memory: DrainMemory,
  { uses, wall, attachments }: { uses: ReadonlyMap<string, number>; wall: Wall } & Pick<Brought, 'attachments'>,
): PodFact {
  const { name, namespace = '', uid = '', deletionTimestamp, deletionGracePeriodSeconds } = pod.metadata;
  const claims = claimsOf(pod);
  const own = claims.map((claim) => `${namespace}/${claim}`).filter((claim) => uses.get(claim) === 1);
  const { lookedUp, ...trouble } = attachments?.length ? lookedUpOf(memory, own) : NONE_ATTACHED;
  return {
    namespace,
    name,
    uid,
    priority: pod.spec?.priority ?? 0,
    graceMs: (pod.spec?.terminationGracePeriodSeconds ?? DEFAULT_GRACE_S) * 1000,
    ...(deletionTimestamp && { endsAt: Date.parse(deletionTimestamp) }),
    killed: deletionTimestamp !== undefined && deletionGracePeriodSeconds === 0,
    claims: own,
    lookedUp,
    serial: claims.length > 0 && !memory.request.volumesUnawaited,
    ...trouble,
    ...askedOf(memory, { key: `${namespace}/${name}`, uid, wall }),
  };
}

/** What calls for the pod came to. */
function askedOf(memory: DrainMemory, { key, uid, wall }: { key: string; uid: string; wall: Wall }) {
  const known = memory.pods.get(uid) ?? freshPod();
  const { inFlight, followed, deleteAt, budget, answer } = known;
  const { at, ...freed } = nextAsk(known, key, memory.request.target);
  return {
    followed,
    ...(inFlight && { inFlight: inFlight.kind }),
    ...refusedOf(memory, { key, uid, wall }),
    retryAt: wall(at),
    ...freed,
    ...(budget !== undefined && { budget }),
    deleteAt: wall(deleteAt),
    ...(answer && { answer }),
  } satisfies Partial<PodFact>;
}

/** Since when it has been refused, as far as that counts. */
function refusedOf(
  { pods, request: { startedAt = 0, refusedSince: before } }: DrainMemory,
  { key, uid, wall }: { key: string; uid: string; wall: Wall },
): Pick<PodFact, 'refusedSince'> {
  const known = pods.get(uid)?.refusedSince;
  const recorded = before?.get(key);
  if (known === undefined && recorded === undefined) return {};
  const since = Math.min(known === undefined ? Infinity : wall(known), recorded ?? Infinity);
  return { refusedSince: Math.max(startedAt, since) };
}

/** Where nothing is attached nobody asks. */
const NONE_ATTACHED: LookedUp = { lookedUp: 'known' };

type LookedUp = Pick<PodFact, 'lookedUp' | 'answer'>;

/** How far the volumes of these claims are known. */
function lookedUpOf({ claims: known }: DrainMemory, claims: readonly string[]): LookedUp {
  const facts = claims.map((claim) => known.of(claim));
  const failed = facts.find(({ at }) => at === 'failed');
  if (failed?.at === 'failed') return { lookedUp: 'failed', answer: { result: 'Failed', reason: failed.reason } };
  return { lookedUp: facts.every(({ at }) => at === 'known') ? 'known' : 'pending' };
}

/** By how many pods of the Node each claim is used: a shared volume goes with its last pod, not with the first. */
function usesOf(pods: readonly Pod[]): ReadonlyMap<string, number> {
  const uses = new Map<string, number>();
  for (const pod of pods) {
    for (const claim of new Set(claimsOf(pod))) {
      const key = `${pod.metadata.namespace}/${claim}`;
      uses.set(key, (uses.get(key) ?? 0) + 1);
    }
  }
  return uses;
}

function forgetGone(memory: DrainMemory, pods: readonly PodFact[]): void {
  const there = new Set(pods.map(({ uid }) => uid));
  for (const [uid, { inFlight }] of memory.pods) if (!there.has(uid) && !inFlight) memory.pods.delete(uid);
  memory.refusedBy = new Set(pods.flatMap(({ budget }) => (budget === undefined ? [] : [budget])));
}

/** Of volumes that are attached, and of claims that pods have, it goes on knowing: a target may show ever new ones. */
function keepKnown(
  { claims, late }: DrainMemory,
  there: readonly Pod[],
  attachments: readonly VolumeAttachment[],
): void {
  const volumes = new Set(attachments.flatMap(volumeOfAttachment));
  claims.keep(new Set(there.flatMap(volumeClaimsOf)), volumes);
  for (const volume of late) if (!volumes.has(volume)) late.delete(volume);
}

function handoverFact(
  handover: Handover,
  { target, nodeName, limits, attached }: DrainRequest & Pick<Brought, 'attached'>,
  since: Wall,
): HandoverFact {
  const { pod, volumes, detachedAt } = handover;
  const podHere = target.pods.get(`${pod.namespace}/${pod.name}`)?.metadata.uid === pod.uid;
  const here = new Set(attached.flatMap(volumeOfAttachment));
  const arrived = new Map<string, number>();
  for (const name of attached.filter(isAttached).flatMap(volumeOfAttachment))
    arrived.set(name, (arrived.get(name) ?? 0) + 1);
  const isElsewhere = ({ name }: Volume) => target.attachments.count('attached', name) > (arrived.get(name) ?? 0);
  return {
    pod: `${pod.namespace}/${pod.name}`,
    here: podHere || volumes.some(({ name }) => here.has(name)) || isListed(target.nodes.get(nodeName), volumes),
    elsewhere: volumes.every(isElsewhere),
    detachBy: since(handover.since) + pod.graceMs + limits.detachMs,
    ...(detachedAt !== undefined && { reattachBy: since(detachedAt) + limits.reattachMs }),
  };
}

/**
 * Counts what calls have brought of the drain's pods and claims in the memory that the target may take, whose owner says how long it is
 * (hack/decisions/0028 T74). Where there is no room for it all texts go that nothing is decided by: what is left is in proportion to the pods,
 * which are counted.
 */
function countKept(memory: DrainMemory): void {
  const { pods, claims, request } = memory;
  if (!memory.kept.isIn(request.target.room)) {
    memory.kept.free();
    memory.kept = new RoomInUse(request.target.room);
  }
  const bytes = () => [...pods.values()].reduce((sum, pod) => sum + (pod.bytes ?? 0), claims.bytes);
  if (memory.kept.holds(bytes())) return;
  for (const pod of pods.values()) shortened(pod);
  claims.shorten();
  memory.kept.holds(bytes());
}
