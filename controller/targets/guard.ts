import { accountOf, accountPolicyName, NODES_POLICY } from '../../schemas/policy.ts';
import type { GuardFact } from '../model/target.ts';
import { type Api, isForbidden, isNotFound } from '../runtime/client/api.ts';
import type { Clock } from '../runtime/clock.ts';
import type { KubeObject, Resource } from '../runtime/k8s/object.ts';
import type { Log } from '../runtime/observability/log.ts';

/** Whether the API server of a target keeps us from Nodes that are not ours (hack/decisions/0038). */

/** authentication.k8s.io/v1 SelfSubjectReview: the part that is used. */
interface SelfSubjectReview extends KubeObject {
  status?: { userInfo?: { username?: string } };
}

const selfSubjectReviews: Resource<SelfSubjectReview> = {
  group: 'authentication.k8s.io',
  version: 'v1',
  plural: 'selfsubjectreviews',
  kind: 'SelfSubjectReview',
  namespaced: false,
};

const bindings: Resource = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  plural: 'validatingadmissionpolicybindings',
  kind: 'ValidatingAdmissionPolicyBinding',
  namespaced: false,
};

/** What following takes. */
export interface GuardParts {
  api: Pick<Api, 'create' | 'get'>;
  clock: Clock;
  log: Log;
  /** Of the target, for people. */
  name: string;
}

/** How often it is looked again, milliseconds: somebody may install the policies, or take them away. */
const PERIOD_MS = 600_000;
const INSTALL = 'install the chart there with rbac.targetOnly=true, or policies.enabled=true';

/** Looks for the policy again and again until the signal aborts, and tells what it finds; nothing depends on the answer. */
export async function followGuard(
  parts: GuardParts,
  told: (fact: GuardFact) => void,
  signal: AbortSignal,
): Promise<void> {
  let before: string | undefined;
  while (!signal.aborted) {
    const fact = await findGuard(parts, signal).catch((error): undefined => {
      if (!signal.aborted) parts.log.debug('policies of a target were not looked for', { target: parts.name, error });
    });
    if (fact && !signal.aborted && fact.at !== before) {
      before = fact.at;
      if (fact.at === 'missing')
        parts.log.warn('nothing guards the Nodes of a target', { target: parts.name, why: fact.why });
      told(fact);
    }
    await parts.clock.sleep(PERIOD_MS, signal).catch(() => {});
  }
}

/** The policy is named after the account that we are there. */
async function findGuard({ api }: GuardParts, signal: AbortSignal): Promise<GuardFact> {
  const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview', metadata: { name: '' } };
  const { status } = await api.create(selfSubjectReviews, review, { signal });
  const username = status?.userInfo?.username;
  if (!username) return { at: 'unknown', why: 'its API server does not say who we are there' };
  const account = accountOf(username);
  if (!account) return { at: 'missing', why: 'we are no ServiceAccount there, and policies are bound to those' };
  const name = accountPolicyName(NODES_POLICY, account);
  try {
    await api.get(bindings, { name }, { signal });
    return { at: 'there' };
  } catch (error) {
    if (isNotFound(error))
      return { at: 'missing', why: `there is no ValidatingAdmissionPolicyBinding ${name}; ${INSTALL}` };
    if (isForbidden(error))
      return { at: 'unknown', why: `we may not look for ValidatingAdmissionPolicyBinding ${name}` };
    throw error;
  }
}
