import { timestamp } from '../../runtime/k8s/object.ts';
import type { DrainView, PodAnswer, PodFact, SkippedPod } from './view.ts';
import { orderOf, wavesOf } from './waves.ts';

/** How a pod stands, in the status of a Machine. */
export interface PodReport {
  /** namespace/name. */
  name: string;
  result: 'Waiting' | 'Leaving' | 'Overdue' | 'Skipped' | PodAnswer['result'];
  reason?: string;
  refusedSince?: string;
}

/** So many pods the status names. */
const MOST = 50;
/** A pod may take so long to be gone after its grace period (hack/spec/mcm.md 7.3). */
const OVERDUE_MS = 30_000;

/** Trouble first, so that what holds a drain up is named however many pods there are. */
const ORDER: ReadonlyArray<PodReport['result']> = [
  'Misconfigured',
  'Refused',
  'Failed',
  'Overdue',
  'Leaving',
  'Waiting',
  'Skipped',
];

/** The pods that a drain is busy with, for people: 50 at most, those in trouble first, and those that it lets be last. */
export function reportOf({ pods, skipped = [], now }: Pick<DrainView, 'pods' | 'skipped' | 'now'>): PodReport[] {
  const rank = ({ result }: PodReport) => ORDER.indexOf(result);
  const byName = (a: PodReport, b: PodReport) => (a.name < b.name ? -1 : 1);
  const { order } = wavesOf(pods);
  return [...pods.map((pod) => reportOn(pod, { now, order })), ...skipped.map(skippedReport)]
    .toSorted((a, b) => rank(a) - rank(b) || byName(a, b))
    .slice(0, MOST);
}

const skippedReport = ({ name, by }: SkippedPod): PodReport => ({ name, result: 'Skipped', reason: `by ${by}` });

function reportOn(fact: PodFact, { now, order }: { now: number; order: number }): PodReport {
  const { namespace, name, endsAt, answer, refusedSince } = fact;
  const pod = `${namespace}/${name}`;
  if (endsAt !== undefined) {
    if (now <= endsAt + OVERDUE_MS) return { name: pod, result: 'Leaving' };
    return { name: pod, result: 'Overdue', reason: 'its grace period is over and it is still there' };
  }
  const held = heldBy(fact, order);
  if (held !== undefined) return { name: pod, result: 'Waiting', reason: held };
  const since = refusedSince === undefined ? {} : { refusedSince: timestamp(refusedSince) };
  if (answer) return { name: pod, result: answer.result, reason: answer.reason, ...since };
  return { name: pod, result: refusedSince === undefined ? 'Waiting' : 'Refused', ...since };
}

/** Why a pod is not asked to leave now, in words; undefined when it may be. @param order whose turn it is */
function heldBy(pod: PodFact, order: number): string | undefined {
  if (pod.maySkip) return 'nobody knows whether a MachineDrainRule skips it';
  if (pod.completing) return `is to complete, by ${pod.by}`;
  if (orderOf(pod) === order) return undefined;
  const by = pod.by === undefined ? '' : ` by ${pod.by}`;
  return `is of order ${orderOf(pod)}${by}: those of order ${order} leave first`;
}
