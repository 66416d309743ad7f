import type { Cluster } from '../../../schemas/cluster.ts';
import { BORN, machine } from '../../../test/fixtures/objects.ts';
import { oneTarget } from '../../model/target.fixture.ts';
import type { Target } from '../../model/target.ts';
import { ApiError } from '../../runtime/client/api.ts';
import { FakeClock } from '../../runtime/clock.fake.ts';
import type { Secret } from '../../runtime/k8s/core.ts';
import { seededRandom } from '../../runtime/random.ts';
import { Cache } from '../../runtime/watch/cache.ts';
import { openGates } from '../../safety/outage/gates.fixture.ts';
import { byMachine } from '../../targets/caches.ts';
import { drainSettings } from '../flow/view.fixture.ts';
import { Tokens } from './tokens.ts';

/** The tokens that an API server holds, and what was asked of it. */
class TokenServer {
  readonly made: Secret[] = [];
  readonly calls: string[] = [];
  readonly cache = new Cache<Secret>({ indexes: { machine: byMachine } });
  /** While it is stale, the cache shows nothing that is made. */
  readonly watch = { stale: false, lostAnswers: 0 };
  readonly #refusals: ApiError[];
  #version = 1;

  constructor(refusals: ApiError[]) {
    this.#refusals = refusals;
  }

  /** Stores a token, which the cache shows. */
  readonly put = (one: Secret): Secret => {
    const stored = this.#versioned(one);
    this.cache.put(stored);
    return stored;
  };

  readonly create = async (_: unknown, one: Secret): Promise<Secret> => {
    const refusal = this.#refusals.shift();
    if (refusal) throw refusal;
    const stored = this.watch.stale ? this.#versioned(one) : this.put(one);
    this.made.push(stored);
    if (this.watch.lostAnswers-- > 0) throw new Error('the connection was reset');
    return stored;
  };

  readonly list = async (_: unknown, { labelSelector }: { labelSelector: string }) => {
    this.calls.push(`list ${labelSelector}`);
    return { items: this.made };
  };

  readonly patch = async (_: unknown, { name }: { name: string }, { body }: { body: Secret }): Promise<Secret> => {
    this.calls.push(`patch ${name} ${atob(body.data?.['expiration'] ?? '')}`);
    const old = this.made.find(({ metadata }) => metadata.name === name);
    const metadata = { ...old?.metadata, name, namespace: 'kube-system' };
    return this.#versioned({ ...old, metadata, data: { ...old?.data, ...body.data } });
  };

  readonly delete = async (_: unknown, { name }: { name: string }) => void this.calls.push(`delete ${name}`);

  #versioned(one: Secret): Secret {
    return { ...one, metadata: { ...one.metadata, uid: one.metadata.name, resourceVersion: `${++this.#version}` } };
  }
}

/** A target cluster in which creations are refused so, until there are no refusals left. */
function clusterOf(refusals: ApiError[]) {
  const api = new TokenServer(refusals);
  const { made, calls, cache, put, watch } = api;
  const cluster = {
    reach: {} as never,
    api: api as never,
    nodes: new Cache(),
    tokens: cache,
    pods: new Cache(),
    heartbeats: undefined,
    attachments: new Cache(),
    budgets: new Cache(),
  } as Target;
  return { made, calls, cache, cluster, put, watch };
}

const LIMITS = {
  creationTimeoutMs: 1_200_000,
  healthTimeoutMs: 1,
  inPlaceTimeoutMs: 1,
  vmYouthMs: 0,
  preserveTimeoutMs: 1,
  nodeConditions: [],
  drain: drainSettings,
  startupTaint: undefined,
};

/** No Machine. */
const GONE = machine({ metadata: { uid: '' } });

/** Tokens of one target cluster; `live` is the Machine as the API server has it. */
export function bench({
  userData = 'join <<BOOTSTRAP_TOKEN>>',
  refusals = [] as ApiError[],
  target = true,
  live = GONE,
  awaited = true,
  clusters = new Map<string, Cluster>(),
  gates = openGates,
  startS = 0,
} = {}) {
  const stored = () => {
    if (live === GONE) throw new ApiError('get machines: NotFound', { status: 404, reason: 'NotFound' });
    return live;
  };
  const there = clusterOf(refusals);
  const clock = new FakeClock(BORN + startS * 1_000);
  const secrets = new Cache<Secret>();
  secrets.put({ metadata: { namespace: 'herd', name: 's' }, data: { userData: btoa(userData) } });
  const machines = new Cache<ReturnType<typeof machine>>();
  const tokens = new Tokens({
    api: { get: async () => stored() } as never,
    targets: oneTarget(target ? there.cluster : undefined),
    machines,
    secrets,
    clock,
    random: seededRandom(1),
    limits: LIMITS,
    maxLifeMs: 3_600_000,
    signing: false,
    isAwaited: () => awaited,
    bornAt: () => undefined,
    clusters,
    gates,
    extraGroups: [],
    incarnation: 'here',
  });
  return { ...there, clock, machines, tokens };
}
