import type { Api } from '../controller/runtime/api.ts';
import type { Clock } from '../controller/runtime/clock.ts';
import type { Metrics } from '../controller/runtime/metrics.ts';
import type { KubeObject, Resource } from '../controller/runtime/object.ts';
import { resources } from '../schemas/kinds.ts';
import type { User } from './review.ts';

/** Whether somebody may touch protected keys in a namespace. Throws when the API server does not say. */
export type Permission = (user: User, namespace: string) => Promise<boolean>;

/** authorization.k8s.io/v1 SubjectAccessReview: the parts that are used. */
interface SubjectAccessReview extends KubeObject {
  spec: {
    user: string;
    uid?: string;
    groups: string[];
    extra: Record<string, string[]>;
    resourceAttributes: { group: string; version: string; resource: string; verb: string; namespace: string };
  };
  status?: { allowed: boolean };
}

const subjectAccessReviews: Resource<SubjectAccessReview> = {
  group: 'authorization.k8s.io',
  version: 'v1',
  plural: 'subjectaccessreviews',
  kind: 'SubjectAccessReview',
  namespaced: false,
};

/** How long an answer is believed, milliseconds: as long as a withdrawn role keeps working (decisions 5). */
const BELIEVED_MS = 10_000;
/** How many answers are kept; the one that was asked for longest ago goes first. */
const MOST_ANSWERS = 1_000;
/** How long the API server may take, milliseconds: less than its own patience with a webhook, 5 s. */
const PATIENCE_MS = 3_000;

interface Answer {
  allowed: boolean;
  until: number;
}

/** Asks the API server by SubjectAccessReview, and remembers what it said for a short while. Failures are not remembered. */
export function createPermission({ api, clock, metrics }: { api: Api; clock: Clock; metrics: Metrics }): Permission {
  const answers = new Map<string, Answer>();
  const counted = (result: 'hit' | 'miss' | 'error') =>
    metrics.count('drover_webhook_access_reviews_total', { result });

  return async (user, namespace) => {
    const key = keyOf(user, namespace);
    const known = answers.get(key);
    answers.delete(key);
    if (known && known.until > clock.now()) {
      counted('hit');
      answers.set(key, known);
      return known.allowed;
    }
    const allowed = await ask({ api, clock }, user, namespace).catch((error) => {
      counted('error');
      throw error;
    });
    counted('miss');
    answers.set(key, { allowed, until: clock.now() + BELIEVED_MS });
    forgetOldest(answers);
    return allowed;
  };
}

function forgetOldest(answers: Map<string, Answer>): void {
  const [oldest] = answers.keys();
  if (oldest !== undefined && answers.size > MOST_ANSWERS) answers.delete(oldest);
}

/** Everything that the API server's authorizers may look at. */
const keyOf = ({ username, uid, groups, extra }: User, namespace: string): string =>
  JSON.stringify([username, uid, groups, Object.entries(extra).sort(), namespace]);

async function ask({ api, clock }: { api: Api; clock: Clock }, user: User, namespace: string): Promise<boolean> {
  const patience = new AbortController();
  const cancel = clock.after(PATIENCE_MS, () => patience.abort(new Error(`no answer within ${PATIENCE_MS} ms`)));
  try {
    const review = await api.create(subjectAccessReviews, question(user, namespace), { signal: patience.signal });
    return review.status?.allowed === true;
  } finally {
    cancel();
  }
}

const question = ({ username, uid, groups, extra }: User, namespace: string): SubjectAccessReview => ({
  apiVersion: 'authorization.k8s.io/v1',
  kind: 'SubjectAccessReview',
  metadata: { name: '' },
  spec: {
    user: username,
    uid,
    groups,
    extra,
    resourceAttributes: {
      group: resources.machines.group,
      version: resources.machines.version,
      resource: resources.machines.plural,
      verb: 'override',
      namespace,
    },
  },
});
