import type { Clock } from '../../controller/runtime/clock.ts';
import { type KubeObject, keyOf } from '../../controller/runtime/k8s/object.ts';
import type { Random } from '../../controller/runtime/random.ts';
import { type Address, addressOf, wordingOf } from './address.ts';
import { jsonPatched, mergePatched, strategicPatched } from './patching.ts';
import { badRequest, conflict, expired, Refusal } from './refusal.ts';
import { wanted } from './selecting.ts';
import { Store } from './store.ts';
import { traitsOf } from './traits.ts';
import { type WatchSink, watchStore } from './watching.ts';
import { Writing } from './writing.ts';

/** A request as it came in. */
export interface Request {
  method: string;
  /** Path with query. */
  path: string;
  contentType?: string;
  body?: string;
}

/** What goes out: JSON, or a watch that the caller starts. */
export type Answer = { code: number; body: object } | { watch: (sink: WatchSink) => () => void };

/** How long a watch lasts that does not say. */
const LASTING_S = 1_800;

/**
 * A Kubernetes API server in memory, as far as the controller uses one. Any resource of any group is served; those that
 * are not built in count as custom resources without a schema. There is no admission, no defaulting, no RBAC, and of
 * managed fields and server-side apply nothing. What it promises is shown on it and on a real one
 * (test/conformance/apiserver.ts).
 */
export class ApiServer {
  readonly store = new Store();
  readonly #clock: Clock;
  readonly #writing: Writing;

  constructor({ clock, random }: { clock: Clock; random: Random }) {
    this.#clock = clock;
    this.#writing = new Writing({ store: this.store, clock, random });
    for (const name of ['default', 'kube-system'])
      this.#writing.create(addressOf('/api/v1/namespaces') as Address, { metadata: { name } });
  }

  /** Answers one request; never throws a Refusal, for that is an answer, too. */
  handle(request: Request): Answer {
    try {
      return this.#route(request);
    } catch (error) {
      if (error instanceof Refusal) return { code: error.code, body: error.status };
      throw error;
    }
  }

  #route({ method, path, contentType, body }: Request): Answer {
    const url = new URL(path, 'http://world');
    const query = url.searchParams;
    const address = addressOf(url.pathname);
    if (!address) throw new Refusal(404, 'NotFound', 'the server could not find the requested resource');
    const parsed = body === undefined ? undefined : parse(body);
    const dryRun = query.get('dryRun') === 'All';
    switch (method) {
      case 'GET':
        if (query.get('watch') === 'true') return this.#watch(address, query);
        return ok(address.name === undefined ? this.#list(address, query) : this.#writing.existing(address));
      case 'POST':
        if (address.subresource === 'eviction') return this.#evict(address);
        return { code: 201, body: this.#writing.create(address, parsed as KubeObject, dryRun) };
      case 'PUT':
        return ok(this.#replace(address, parsed as KubeObject, dryRun));
      case 'PATCH':
        return ok(this.#patch(address, { contentType, patch: parsed, dryRun }));
      case 'DELETE':
        return ok(this.#delete(address, parsed as { preconditions?: object } | undefined));
      default:
        throw new Refusal(405, 'MethodNotAllowed', `${method} is not supported`);
    }
  }

  #list(address: Address, query: URLSearchParams): object {
    const [after = '', at = ''] = query.get('continue')?.split(' ') ?? [];
    if (at && !this.store.since(Number(at))) throw expired(at);
    const limit = Number(query.get('limit') ?? 0) || Infinity;
    const all = this.store.list(address.resource).filter(wanted(query, address.namespace));
    const rest = all.filter((object) => keyOf(object) > after);
    const items = rest.slice(0, limit);
    const last = items.at(-1);
    const more = rest.length > items.length && last;
    const resourceVersion = at || String(this.store.version);
    const token = more ? { continue: `${keyOf(last)} ${resourceVersion}` } : {};
    return { kind: 'List', apiVersion: address.apiVersion, metadata: { resourceVersion, ...token }, items };
  }

  #watch({ resource, namespace }: Address, query: URLSearchParams): Answer {
    const watching = {
      resource,
      wanted: wanted(query, namespace),
      from: Number(query.get('resourceVersion')),
      bookmarks: query.get('allowWatchBookmarks') === 'true',
      lastsMs: Number(query.get('timeoutSeconds') ?? LASTING_S) * 1_000,
    };
    return { watch: (sink) => watchStore({ store: this.store, clock: this.#clock }, watching, sink) };
  }

  #replace(address: Address, body: KubeObject, dryRun: boolean): KubeObject {
    const old = this.#writing.existing(address);
    const { resourceVersion, uid } = body.metadata;
    if (uid !== undefined && uid !== old.metadata.uid)
      throw conflict(wordingOf(address), `Precondition failed: UID in precondition: ${uid}`);
    const { blindReplace } = traitsOf(address.resource);
    if (!resourceVersion && !blindReplace)
      throw new Refusal(
        422,
        'Invalid',
        `${wordingOf(address)} is invalid: metadata.resourceVersion: must be specified for an update`,
      );
    return this.#writing.update(address, { apiVersion: old.apiVersion, kind: old.kind, ...body }, dryRun);
  }

  #patch(
    address: Address,
    { contentType, patch, dryRun }: { contentType: string | undefined; patch: unknown; dryRun: boolean },
  ): KubeObject {
    const old = this.#writing.existing(address);
    return this.#writing.update(address, patched(address, { old, patch, contentType }), dryRun);
  }

  #delete(address: Address, body: { preconditions?: object } | undefined): object {
    const left = this.#writing.delete(address, body?.preconditions);
    return left ?? { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success' };
  }

  /** Pods end at once: there is no kubelet that would let them end gracefully. */
  #evict({ subresource: _, ...pod }: Address): Answer {
    const { metadata } = this.#writing.existing(pod);
    const budgets = this.store.list('policy/poddisruptionbudgets') as Budget[];
    const mine = budgets.filter(
      ({ metadata: { namespace }, spec }) => namespace === metadata.namespace && covers(spec, metadata.labels),
    );
    if (mine.some(({ status }) => (status?.disruptionsAllowed ?? 0) < 1))
      throw new Refusal(429, 'TooManyRequests', "Cannot evict pod as it would violate the pod's disruption budget.");
    this.#writing.delete(pod);
    return { code: 201, body: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success' } };
  }
}

interface Budget extends KubeObject {
  spec?: { selector?: { matchLabels?: Record<string, string> } };
  status?: { disruptionsAllowed?: number };
}

const covers = (spec: Budget['spec'], labels: Record<string, string> = {}): boolean =>
  Object.entries(spec?.selector?.matchLabels ?? {}).every(([key, value]) => labels[key] === value);

const ok = (body: object): Answer => ({ code: 200, body });

function patched(
  address: Address,
  { old, patch, contentType }: { old: KubeObject; patch: unknown; contentType: string | undefined },
): KubeObject {
  switch (contentType) {
    case 'application/merge-patch+json':
      return mergePatched(old, patch) as KubeObject;
    case 'application/json-patch+json':
      return jsonPatched(old, patch as object[]) as KubeObject;
    case 'application/strategic-merge-patch+json':
      if (traitsOf(address.resource).builtIn) return strategicPatched(old, patch) as KubeObject;
  }
  throw new Refusal(415, 'UnsupportedMediaType', `the body of the request was in an unknown format: ${contentType}`);
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch (error) {
    throw badRequest(`the body is no JSON: ${error}`);
  }
}
