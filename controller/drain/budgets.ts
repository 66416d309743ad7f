import { picking } from '../../schemas/selector.ts';
import type { Target } from '../model/target.ts';
import type { ApiError } from '../runtime/client/api.ts';
import { beginning } from '../runtime/cuttext.ts';
import { keyOf, type Ref } from '../runtime/k8s/object.ts';
import { type PodDisruptionBudget, pods } from '../runtime/k8s/workload.ts';
import { weightOf } from '../runtime/memory/weight.ts';
import type { PodAnswer } from './flow/view.ts';

const TIMEOUT_MS = 10_000;

/** More is not quoted of what an API server says of a pod, in characters. */
const QUOTED = 512;

/** More labels are not kept of a pod, in bytes (weight.ts): it is asked for them again. */
const MOST_LABELS = 1 << 10;

/** Of more budgets of a namespace, or parts of their selectors, none is looked for: a target's API server says how many there are (hack/decisions/0028 T70). */
const MOST = { budgets: 2_000, parts: 20_000 };

/** Why a pod may not leave, and which budget says so (namespace/name), where that is known. */
export type Refusal = PodAnswer & { budget?: string; labels?: Readonly<Record<string, string>> };

/**
 * Why an eviction was refused: the first budget of the pod by name, and how it stands. Where budgets cannot be watched, or are too many, it is
 * the API server's own sentence.
 * @param labels those of the pod, if they are known; else it is asked for them
 */
export async function whyRefused(
  { api, budgets }: Pick<Target, 'api' | 'budgets'>,
  pod: Ref,
  { error, signal, labels: known }: { error: ApiError; signal: AbortSignal; labels?: Refusal['labels'] },
): Promise<Refusal> {
  if (!budgets.synced) return said(error);
  const options = { signal, timeoutMs: TIMEOUT_MS };
  const labels =
    known ??
    (await api.get(pods, pod, options).then(
      ({ metadata }) => metadata.labels ?? {},
      () => undefined,
    ));
  const budget = labels && firstOf(budgets, pod.namespace ?? '', labels);
  const isKept = labels !== undefined && weightOf(labels) <= MOST_LABELS;
  return { ...(budget ? { ...saying(budget), budget: keyOf(budget) } : said(error)), ...(isKept && { labels }) };
}

/** The first budget by name that is about a pod with these labels; undefined also where there are too many to look for it. */
function firstOf(
  budgets: Target['budgets'],
  namespace: string,
  labels: Readonly<Record<string, string>>,
): PodDisruptionBudget | undefined {
  if (budgets.count('namespace', namespace) > MOST.budgets) return undefined;
  const work = { left: MOST.parts };
  let first: PodDisruptionBudget | undefined;
  for (const budget of budgets.by('namespace', namespace)) {
    if (work.left < 0) return undefined;
    const isBefore = !first || budget.metadata.name < first.metadata.name;
    if (isBefore && picking(budget.spec?.selector, work)(labels)) first = budget;
  }
  return work.left < 0 ? undefined : first;
}

/** How many pods the budget, as it is known, lets go now; Infinity for one that is gone. */
export function allowedBy(budget: PodDisruptionBudget | undefined): number {
  if (!budget) return Infinity;
  const { observedGeneration = 0, disruptionsAllowed = 0 } = budget.status ?? {};
  return observedGeneration >= (budget.metadata.generation ?? 0) ? disruptionsAllowed : 0;
}

const said = (error: ApiError): PodAnswer => ({
  result: 'Refused',
  reason: beginning(
    String(error.details?.causes?.find(({ reason }) => reason === 'DisruptionBudget')?.message ?? error.message),
    QUOTED,
  ),
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

/** It allows no disruption even though all its pods are healthy: waiting does not help (hack/spec/mcm.md 7.3). */
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
