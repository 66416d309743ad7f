import type { Target } from '../model/target.ts';
import { weightOf } from '../runtime/memory/weight.ts';
import { jitter, type Random } from '../runtime/random.ts';
import { allowedBy, type Refusal } from './budgets.ts';
import { NO_ROOM, type Volume } from './claims.ts';
import { EVICTION_RETRY_MS } from './flow/plan.ts';
import type { PodAnswer, PodFact } from './flow/view.ts';

/** What came of an attempt to make a pod leave. */
export type PodResult =
  | { did: 'asked'; volumes?: readonly Volume[] }
  | { did: 'killed'; volumes?: readonly Volume[] }
  | ({ did: 'nothing' } & Refusal);

/** One attempt to make a pod leave. */
export interface Attempt {
  kind: 'eviction' | 'deletion';
  pod: PodFact;
  run: (signal: AbortSignal) => Promise<PodResult>;
  byForce?: boolean;
}

/** An attempt that is under way. */
export interface InFlightAttempt extends Attempt {
  podMemory: PodMemory;
  abort: AbortController;
}

/** What is remembered of a pod. Moments are monotonic. */
export interface PodMemory {
  inFlight?: InFlightAttempt | undefined;
  refusedSince?: number | undefined;
  retryAt: number;
  deleteAt: number;
  followed: boolean;
  answer?: PodAnswer | undefined;
  /** Those that it had when it was refused. */
  labels?: Refusal['labels'];
  /** The budget that refused it, namespace/name. */
  budget?: string | undefined;
  /** What of this the API server has said takes so many bytes (weight.ts). */
  bytes?: number;
  /** When it was asked to leave, and what was known then of it and its budget. */
  asked?: { at: number; pod: string | undefined; budget: string | undefined };
}

/** Time between two deletions of a pod that did not go. */
const DELETION_RETRY_MS = 5_000;
/** How soon an eviction is retried after the pod or its budget changed, or where the budget cannot be read: as often as kubectl does. */
const NEWS_RETRY_MS = 5_000;

const NEVER = Number.NEGATIVE_INFINITY;

/** What is known of a pod at first. */
export const freshPod = (): PodMemory => ({ retryAt: NEVER, deleteAt: NEVER, followed: false });

/** Whether an eviction of the pod is in flight. */
export const isEviction = ({ inFlight }: PodMemory): boolean => inFlight?.kind === 'eviction';

/** Notes what is known of the pod and its budget when it is asked. */
export function noteAsked(memory: PodMemory, { namespace, name }: PodFact, { target, now }: Now): void {
  memory.asked = {
    at: now,
    pod: target.pods.get(`${namespace}/${name}`)?.metadata.resourceVersion,
    budget: memory.budget && versionOf(target, memory.budget),
  };
}

/** Notes what came of it. */
export function noteResult(memory: PodMemory, kind: Attempt['kind'], { result, now, random }: Ended): void {
  memory.retryAt = now + jitter(random, EVICTION_RETRY_MS);
  if (kind === 'deletion') memory.deleteAt = now + jitter(random, DELETION_RETRY_MS);
  memory.answer = result.did === 'nothing' ? { result: result.result, reason: result.reason } : undefined;
  memory.budget = undefined;
  if (result.did === 'nothing') {
    memory.labels = result.labels ?? memory.labels;
    memory.budget = result.budget;
  }
  memory.bytes = bytesOf(memory);
  if (memory.answer?.result === 'Refused') memory.refusedSince ??= now;
  if (memory.answer?.result === 'Misconfigured') memory.refusedSince = undefined;
}

const bytesOf = ({ answer, budget = '', labels }: PodMemory): number =>
  weightOf([answer?.reason ?? '', budget]) + (labels ? weightOf(labels) : 0);

/** Leaves out what nothing is decided by: there is no room for it. */
export function shortened(memory: PodMemory): void {
  memory.labels = undefined;
  if (memory.answer) memory.answer = { ...memory.answer, reason: NO_ROOM };
  memory.bytes = 0;
}

/** When the pod (namespace/name) is asked the next time, and how many may go with it because its budget, by the latest news, lets them. */
export function nextAsk(memory: PodMemory, pod: string, target: Target): Pick<PodFact, 'freed'> & { at: number } {
  const { asked, budget, retryAt, answer } = memory;
  if (!asked || !answer) return { at: retryAt };
  const allowed = budget === undefined ? 0 : allowedBy(target.budgets.get(budget));
  if (budget !== undefined && allowed > 0 && versionOf(target, budget) !== asked.budget)
    return { at: NEVER, freed: { budget, allowed } };
  const isNews = target.pods.get(pod)?.metadata.resourceVersion !== asked.pod;
  const isBlind = answer.result === 'Refused' && budget === undefined;
  return { at: isNews || isBlind ? Math.min(retryAt, asked.at + NEWS_RETRY_MS) : retryAt };
}

/** Of a budget that is gone too. */
const versionOf = ({ budgets }: Target, budget: string): string => budgets.get(budget)?.metadata.resourceVersion ?? '';

interface Now {
  target: Target;
  now: number;
}

interface Ended {
  result: PodResult;
  now: number;
  random: Random;
}
