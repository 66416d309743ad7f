import type { Target } from '../model/target.ts';
import { type Api, isConflict, isNotFound } from '../runtime/client/api.ts';
import { isRefusedByBudget } from '../runtime/client/errors.ts';
import { evictions, pods } from '../runtime/k8s/workload.ts';
import { type Refusal, whyRefused } from './budgets.ts';
import type { Volume } from './claims.ts';
import type { PodFact } from './flow/view.ts';
import type { PodResult } from './podtracker.ts';

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
