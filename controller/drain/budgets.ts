import { matches } from '../../schemas/selector.ts';
import type { Api, ApiError } from '../runtime/api.ts';
import type { Ref } from '../runtime/object.ts';
import { type PodDisruptionBudget, podDisruptionBudgets, pods } from '../runtime/workload.ts';
import type { PodAnswer } from './view.ts';

const TIMEOUT_MS = 10_000;

/**
 * Why an eviction was refused: the first budget of the pod by name, and how it stands. Where budgets cannot be read it is
 * the API server's own sentence.
 */
export async function whyRefused(
  api: Api,
  pod: Ref,
  { error, signal }: { error: ApiError; signal: AbortSignal },
): Promise<PodAnswer> {
  const options = { signal, timeoutMs: TIMEOUT_MS };
  try {
    const { metadata } = await api.get(pods, pod, options);
    const { items } = await api.list(podDisruptionBudgets, {
      ...options,
      ...(pod.namespace !== undefined && { namespace: pod.namespace }),
    });
    const budget = items.find(({ spec }) => matches(spec?.selector, metadata.labels));
    return budget ? saying(budget) : said(error);
  } catch {
    return said(error);
  }
}

const said = (error: ApiError): PodAnswer => ({
  result: 'Refused',
  reason: error.details?.causes?.find(({ reason }) => reason === 'DisruptionBudget')?.message ?? error.message,
});

/** The answer of a budget that allows no disruption. */
function saying(budget: PodDisruptionBudget): PodAnswer {
  const { metadata, status = {} } = budget;
  const name = `PodDisruptionBudget "${metadata.name}"`;
  const { expectedPods = 0, currentHealthy = 0, desiredHealthy = 0 } = status;
  const never = `${name} is misconfigured: it never allows a disruption, though all of its pods are healthy (${expectedPods})`;
  if (isMisconfigured(budget)) return { result: 'Misconfigured', reason: never };
  const now = `${name} allows no disruption now: healthy pods ${currentHealthy}, needed ${desiredHealthy}`;
  return { result: 'Refused', reason: now };
}

/** It will not let a pod go even though all are well: waiting is in vain (MCM 7.3). */
export function isMisconfigured({ metadata, status = {} }: PodDisruptionBudget): boolean {
  const { observedGeneration, expectedPods = 0, currentHealthy = 0, disruptionsAllowed = 0, disruptedPods } = status;
  return (
    metadata.generation === observedGeneration &&
    expectedPods > 0 &&
    currentHealthy >= expectedPods &&
    disruptionsAllowed === 0 &&
    Object.keys(disruptedPods ?? {}).length === 0
  );
}
