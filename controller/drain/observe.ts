import type { Target } from '../model/target.ts';
import { type Clock, wallOf } from '../runtime/clock.ts';
import type { Pod, VolumeAttachment } from '../runtime/k8s/workload.ts';
import type { Cache } from '../runtime/watch/cache.ts';
import { claimsOf, isCompleted, isDrained, volumeClaimsOf, volumeOfAttachment } from '../targets/pods.ts';
import type { Volume } from './claims.ts';
import type { DrainView, HandoverFact, ListedFact, PodFact } from './flow/view.ts';
import { judgePods } from './judging.ts';
import type { DrainMemory, DrainRequest, Handover } from './memory.ts';
import { freshPod, nextAsk } from './podtracker.ts';
import type { Drains } from './tracker.ts';
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
  const { there, attachments, crowded } = onNode(request);
  const podsKnown = target.pods.synced && !rulesUnknown && !crowded;
  memory.blind = podsKnown ? { ms: drains.blindMs(request.uid) } : { since: drains.now(), ...memory.blind };
  const uses = usesOf(there);
  const wall = (moment: number) => wallOf(clock, moment);
  // While a target is away nothing moves, and while the control API server is nobody acts.
  const since = (moment: number) => Math.max(wall(moment), clocksFrom);
  const { leaving, spared, ...judged } = judgePods(memory, there.filter(isDrained));
  const pods = leaving.map(({ pod, said }) => ({ ...podFact(pod, memory, { uses, wall, attachments }), ...said }));
  forgetGone(memory, pods);
  const { strays, ...attached } = attachedFacts(memory, { attachments, there, spared });
  if (podsKnown && attachments) memory.claims.keep(new Set(there.flatMap(volumeClaimsOf)), volumesOf(attachments));
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
    ...(memory.handover && { handover: handoverFact(memory.handover, request, since) }),
    ...attached,
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
  const running = runningOn(pods, nodeName);
  let left = MOST - attached - running.length;
  const there = left < 0 ? [] : running;
  for (const { spec } of there) left -= spec?.volumes?.length ?? 0;
  const isListed = attachments.synced && attached <= MOST;
  return {
    ...(left < 0 ? { there: [], crowded: true } : { there }),
    attachments: isListed ? attachments.by('node', nodeName) : undefined,
  };
}

/** Pods that have ended stay for a while, thousands of evicted ones at times: where there are so many nothing is done about them. */
function runningOn(pods: Cache<Pod>, nodeName: string): readonly Pod[] {
  const all = pods.by('node', nodeName);
  return all.length <= MOST ? all : all.filter((pod) => !isCompleted(pod));
}

interface Brought {
  there: readonly Pod[];
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
  const { flight, followed, deleteAt, budget, answer } = known;
  const { at, ...freed } = nextAsk(known, key, memory.request.target);
  return {
    followed,
    ...(flight && { flying: flight.kind }),
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
  for (const [uid, { flight }] of memory.pods) if (!there.has(uid) && !flight) memory.pods.delete(uid);
  memory.refusedBy = new Set(pods.flatMap(({ budget }) => (budget === undefined ? [] : [budget])));
}

const volumesOf = (attachments: readonly VolumeAttachment[]): ReadonlySet<string> =>
  new Set(attachments.flatMap(volumeOfAttachment));

function handoverFact(handover: Handover, { target, nodeName, limits }: DrainRequest, since: Wall): HandoverFact {
  const { pod, volumes, detachedAt } = handover;
  const podHere = target.pods.get(`${pod.namespace}/${pod.name}`)?.metadata.uid === pod.uid;
  return {
    pod: `${pod.namespace}/${pod.name}`,
    here: podHere || volumes.some((volume) => isAttached(target, nodeName, volume)),
    elsewhere: volumes.every((volume) => isElsewhere(target, nodeName, volume)),
    detachBy: since(handover.since) + pod.graceMs + limits.detachMs,
    ...(detachedAt !== undefined && { reattachBy: since(detachedAt) + limits.reattachMs }),
  };
}

/** By its VolumeAttachment, or by the Node's own list where the driver told the volume's id. */
function isAttached({ nodes, attachments }: Target, nodeName: string, { name, id }: Volume): boolean {
  const listed = nodes.get(nodeName)?.status?.volumesAttached ?? [];
  if (id !== undefined && listed.some((volume) => volume.name.includes(id))) return true;
  return attachments.by('volume', name).some(({ spec }) => spec?.nodeName === nodeName);
}

const isElsewhere = ({ attachments }: Target, nodeName: string, { name }: Volume): boolean =>
  attachments.by('volume', name).some(({ spec, status }) => spec?.nodeName !== nodeName && status?.attached === true);
