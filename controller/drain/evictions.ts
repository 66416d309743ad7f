import type { Target } from '../model/target.ts';
import { type Api, isConflict, isNotFound } from '../runtime/client/api.ts';
import { isRefusedByBudget } from '../runtime/client/errors.ts';
import { evictions, pods } from '../runtime/k8s/workload.ts';
import { volumeOfAttachment } from '../targets/pods.ts';
import { type Refusal, whyRefused } from './budgets.ts';
import type { Volume } from './claims.ts';
import type { DrainAction, PodFact } from './flow/view.ts';
import type { DrainMemory } from './memory.ts';
import type { Attempt, PodResult } from './podtracker.ts';
import type { Drains } from './tracker.ts';
import { listUnseen } from './unseen.ts';
import { volumeOf } from './volumes.ts';

/**
 * Carries out one action of the drain of this Machine's Node. Nothing is awaited: what is started enqueues the Machine's key
 * when it has ended, and shows in the next view.
 */
export function applyDrain(drains: Drains, uid: string, action: DrainAction): void {
  const memory = drains.known(uid);
  if (!memory) return;
  const { request, handover } = memory;
  switch (action.do) {
    case 'evictPods':
      for (const pod of action.pods)
        drains.flights.start(memory, { kind: 'eviction', pod, run: persuading(memory, pod) });
      return;
    case 'lookUpClaims':
      for (const claim of action.claims) memory.claims.lookUp(claim, (asked) => volumeOf(request, claim, asked));
      return;
    case 'lookUpLabels':
      memory.labels.lookUp(action.labels);
      return;
    case 'lookUpPods':
      memory.listed.lookUp((signal) => listUnseen(request, signal));
      return;
    case 'giveUpVolumes':
      giveUp(memory, action.volumes);
      return;
    case 'deletePods':
      for (const pod of action.pods)
        drains.flights.start(memory, {
          kind: 'deletion',
          pod,
          run: ending(memory, pod, action.byForce),
          byForce: action.byForce,
        });
      return;
    case 'noteDetached':
      if (handover) handover.detachedAt = drains.now();
      return;
    case 'endHandover':
      memory.handover = undefined;
      if (action.late) giveUp(memory, handover?.volumes.map(({ name }) => name) ?? []);
  }
}

/** That the volumes were not detached in time is remembered, but holds up no other pod. */
function giveUp(memory: DrainMemory, volumes: readonly string[]): void {
  memory.volumesLate = true;
  for (const volume of volumes) memory.late.add(volume);
}

/** Deletes a pod; its volumes are followed like those of one that was evicted (hack/spec/mcm.md 7.4), unless there is no time for them. */
function ending(memory: DrainMemory, pod: PodFact, byForce: boolean): Attempt['run'] {
  const volumes = pod.serial && !byForce ? { volumes: followedOf(memory, pod) } : {};
  const { api } = memory.request.target;
  return async (signal) => ({ ...(await deletePod(api, pod, signal)), ...volumes });
}

/** Evicts a pod, whose volumes are then followed; one that somebody else asked to leave is only followed. */
function persuading(memory: DrainMemory, pod: PodFact): Attempt['run'] {
  const volumes = pod.serial ? { volumes: followedOf(memory, pod) } : {};
  const { target } = memory.request;
  const labels = memory.pods.get(pod.uid)?.labels;
  return async (signal) =>
    pod.endsAt === undefined
      ? evictPod(target, pod, { signal, ...volumes, ...(labels && { labels }) })
      : { did: 'asked', ...volumes };
}

/** No Node takes more volumes of one pod (CSINode `allocatable.count`). */
const MOST_FOLLOWED = 512;

/** The volumes of the pod whose way is followed: those that are attached to the Node, and the driver's own where it can tell. */
function followedOf({ claims, request }: DrainMemory, pod: PodFact): Volume[] {
  const here = new Set(request.target.attachments.by('node', request.nodeName).flatMap(volumeOfAttachment));
  const facts = pod.claims.map((claim) => claims.of(claim));
  const volumes = facts.flatMap((fact) =>
    fact.at === 'known' && typeof fact.volume === 'object' ? [fact.volume] : [],
  );
  return volumes.filter(({ name, followed }) => followed && here.has(name)).slice(0, MOST_FOLLOWED);
}

/** Time for the API server's answer. */
const TIMEOUT_MS = 15_000;

/** Asks for the pod's eviction, which its disruption budgets may refuse; a pod that is gone, or another by now, is done. */
export async function evictPod(
  { api, budgets }: Pick<Target, 'api' | 'budgets'>,
  { namespace, name, uid }: Pick<PodFact, 'namespace' | 'name' | 'uid'>,
  { signal, volumes, labels }: { signal: AbortSignal; volumes?: readonly Volume[]; labels?: Refusal['labels'] },
): Promise<PodResult> {
  const done: PodResult = { did: 'asked', ...(volumes && { volumes }) };
  const eviction = {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: { namespace, name },
    deleteOptions: { preconditions: { uid } },
  };
  try {
    await api.create(evictions, eviction, { subresource: 'eviction', timeoutMs: TIMEOUT_MS, signal });
    return done;
  } catch (error) {
    if (await isGone(api, { namespace, name, uid }, { error, signal })) return done;
    if (!isRefusedByBudget(error)) throw error;
    const known = { error, signal, ...(labels && { labels }) };
    return { did: 'nothing', ...(await whyRefused({ api, budgets }, { namespace, name }, known)) };
  }
}

/** Deletes the pod without grace; one that is gone, or another by now, is done. */
export async function deletePod(api: Api, { namespace, name, uid }: PodFact, signal: AbortSignal): Promise<PodResult> {
  try {
    await api.delete(pods, { namespace, name }, { uid, gracePeriodSeconds: 0, timeoutMs: TIMEOUT_MS, signal });
  } catch (error) {
    if (!(await isGone(api, { namespace, name, uid }, { error, signal }))) throw error;
  }
  return { did: 'killed' };
}

/** The pod is gone, or another by now: a conflict says that, or only that the pod has changed meanwhile. */
async function isGone(
  api: Api,
  { namespace, name, uid }: Pick<PodFact, 'namespace' | 'name' | 'uid'>,
  { error, signal }: { error: unknown; signal: AbortSignal },
): Promise<boolean> {
  if (!isConflict(error)) return isNotFound(error);
  try {
    const there = await api.get(pods, { namespace, name }, { signal, timeoutMs: TIMEOUT_MS });
    return there.metadata.uid !== uid;
  } catch (failure) {
    if (isNotFound(failure)) return true;
    throw failure;
  }
}
