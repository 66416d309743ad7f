import { timestamp } from '../runtime/timestamp.ts';
import type { DrainView, PodAnswer, PodFact } from './view.ts';

/** How a pod stands, in the status of a Machine. */
export interface PodReport {
  /** namespace/name. */
  name: string;
  result: 'Waiting' | 'Leaving' | 'Overdue' | PodAnswer['result'];
  reason?: string;
  refusedSince?: string;
}

/** So many pods the status names. */
const MOST = 50;
/** A pod may take so long to be gone after its grace period (MCM 7.3). */
const OVERDUE_MS = 30_000;

/** Trouble first, so that what holds a drain up is named however many pods there are. */
const ORDER: ReadonlyArray<PodReport['result']> = [
  'Misconfigured',
  'Refused',
  'Failed',
  'Overdue',
  'Leaving',
  'Waiting',
];

/** The pods that a drain is busy with, for people: 50 at most, those in trouble first. */
export function reportOf({ pods, now }: DrainView): PodReport[] {
  const rank = ({ result }: PodReport) => ORDER.indexOf(result);
  const byName = (a: PodReport, b: PodReport) => (a.name < b.name ? -1 : 1);
  return pods
    .map((pod) => reportOn(pod, now))
    .toSorted((a, b) => rank(a) - rank(b) || byName(a, b))
    .slice(0, MOST);
}

function reportOn({ namespace, name, endsAt, answer, refusedSince }: PodFact, now: number): PodReport {
  const pod = `${namespace}/${name}`;
  if (endsAt !== undefined) {
    if (now <= endsAt + OVERDUE_MS) return { name: pod, result: 'Leaving' };
    return { name: pod, result: 'Overdue', reason: 'its grace period is over and it is still there' };
  }
  const since = refusedSince === undefined ? {} : { refusedSince: timestamp(refusedSince) };
  if (answer) return { name: pod, result: answer.result, reason: answer.reason, ...since };
  return { name: pod, result: refusedSince === undefined ? 'Waiting' : 'Refused', ...since };
}
