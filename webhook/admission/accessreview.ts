import type { Api } from '../../controller/runtime/client/api.ts';
import type { Clock } from '../../controller/runtime/clock.ts';
import type { Asker } from '../../controller/runtime/fairness/sharing.ts';
import type { KubeObject, Resource } from '../../controller/runtime/k8s/object.ts';
import type { Metrics } from '../../controller/runtime/observability/metrics.ts';
import { resources } from '../../schemas/kinds.ts';
import { type Asking, createAsking } from './lookup.ts';
import type { User } from './review.ts';

/**
 * Whether somebody may touch protected keys in a namespace. Throws when the API server does not say.
 * @param from IP address of the caller, who says who asks
 */
export type Permission = (user: User, namespace: string, from?: string) => Promise<boolean>;

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

/** How long an answer is believed, milliseconds: as long as a withdrawn role keeps working (hack/decisions/0000 5). */
const BELIEVED_MS = 10_000;
/** How many answers are kept; the one that was asked for longest ago goes first. */
const MOST_ANSWERS = 1_000;
/** How much may be said of a user, characters: the answer is not worth more, and who calls may make it up. */
const MOST_SAID = 65_536;

/** What asking takes. */
export interface PermissionParts {
  /** Without a limiter of its own. */
  api: Pick<Api, 'create'>;
  clock: Clock;
  metrics: Metrics;
}

/**
 * Asks the API server by SubjectAccessReview, and remembers what it said for a short while. Failures are not remembered. Who
 * asks while the same is being asked waits for that answer; turns go round addresses, namespaces and users.
 */
export function createPermission({ api, clock, metrics }: PermissionParts): Permission {
  const answers = new Answers(clock);
  const asked = new Map<string, Promise<boolean>>();
  const asking = createAsking(clock);
  const count = (result: 'hit' | 'miss' | 'error') => metrics.count('drover_webhook_access_reviews_total', { result });

  return async (user, namespace, from = '') => {
    const key = keyOf(user, namespace);
    const known = answers.get(key);
    if (known !== undefined) {
      count('hit');
      return known;
    }
    // Of the same address alone: nobody waits in the turns of another.
    const shared = `${from} ${key}`;
    const asker = { priority: 0, flow: [from, namespace, user.username] };
    const answer = asked.get(shared) ?? ask({ api, asking, asker }, question(user, namespace));
    count(asked.has(shared) ? 'hit' : 'miss');
    asked.set(shared, answer);
    try {
      const allowed = await answer;
      answers.keep(key, allowed);
      return allowed;
    } catch (error) {
      count('error');
      throw error;
    } finally {
      asked.delete(shared);
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
    for (const [other, { until }] of this.#answers) {
      if (until > this.#clock.monotonic()) break;
      this.#answers.delete(other);
    }
    this.#answers.set(key, { allowed, until: this.#clock.monotonic() + BELIEVED_MS });
    const [oldest] = this.#answers.keys();
    if (oldest !== undefined && this.#answers.size > MOST_ANSWERS) this.#answers.delete(oldest);
  }
}

/** Everything that the API server's authorizers may look at, in a few characters. Throws an Error when it is too much. */
function keyOf({ username, uid, groups, extra }: User, namespace: string): string {
  const text = JSON.stringify([username, uid, groups, Object.entries(extra).sort(), namespace]);
  if (text.length > MOST_SAID) throw new Error(`the request tells more than ${MOST_SAID} characters of its user`);
  return new Bun.CryptoHasher('sha256').update(text).digest('base64');
}

async function ask(
  { api, asking, asker }: { api: PermissionParts['api']; asking: Asking; asker: Asker },
  body: SubjectAccessReview,
): Promise<boolean> {
  const review = await asking(asker, (signal) => api.create(subjectAccessReviews, body, { signal }));
  return review.status?.allowed === true;
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
