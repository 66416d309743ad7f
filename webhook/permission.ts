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

/** What asking takes. */
export interface PermissionParts {
  api: Pick<Api, 'create'>;
  clock: Clock;
  metrics: Metrics;
}

/** Asks the API server by SubjectAccessReview, and remembers what it said for a short while. Failures are not remembered. */
export function createPermission({ api, clock, metrics }: PermissionParts): Permission {
  const answers = new Answers(clock);
  const count = (result: 'hit' | 'miss' | 'error') => metrics.count('drover_webhook_access_reviews_total', { result });

  return async (user, namespace) => {
    const key = keyOf(user, namespace);
    const known = answers.get(key);
    if (known !== undefined) {
      count('hit');
      return known;
    }
    try {
      const allowed = await ask({ api, clock }, user, namespace);
      count('miss');
      answers.keep(key, allowed);
      return allowed;
    } catch (error) {
      count('error');
      throw error;
    }
  };
}

/** The latest answers, in the order in which they were last asked for. */
class Answers {
  readonly #clock: Clock;
  readonly #answers = new Map<string, { allowed: boolean; until: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get(key: string): boolean | undefined {
    const answer = this.#answers.get(key);
    this.#answers.delete(key);
    if (!answer || answer.until <= this.#clock.monotonic()) return undefined;
    this.#answers.set(key, answer);
    return answer.allowed;
  }

  keep(key: string, allowed: boolean): void {
    this.#answers.set(key, { allowed, until: this.#clock.monotonic() + BELIEVED_MS });
    const [oldest] = this.#answers.keys();
    if (oldest !== undefined && this.#answers.size > MOST_ANSWERS) this.#answers.delete(oldest);
  }
}

/** Everything that the API server's authorizers may look at. */
const keyOf = ({ username, uid, groups, extra }: User, namespace: string): string =>
  JSON.stringify([username, uid, groups, Object.entries(extra).sort(), namespace]);

async function ask({ api, clock }: Omit<PermissionParts, 'metrics'>, user: User, namespace: string): Promise<boolean> {
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
