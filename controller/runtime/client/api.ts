import type { Clock } from '../clock.ts';
import { currentAsker } from '../fairness/asking.ts';
import type { OpenShare } from '../fairness/openshare.ts';
import { Pace } from '../fairness/pace.ts';
import { type KubeObject, type Ref, type Resource, withoutManagedFields } from '../k8s/object.ts';
import type { CacheAccount, ClusterRoom } from '../memory/cacheroom.ts';
import { contentOf, jsonWithin, MOST_BYTES, ofKind, ofKindOrStatus, type RawWatchEvent, readEvent } from './answers.ts';
import { connectionError, isGone } from './errors.ts';
import { type Listing, ListTooLarge, listed, type Most, type ObjectList, type Page, pageIn } from './listing.ts';
import { type ApiRequest, callOf, callOfPath, type Patch, patchDeed, pathOfNew, type Query } from './requests.ts';
import { Transport, type TransportParts } from './transport.ts';

export type { RawWatchEvent } from './answers.ts';
export type { Connection, Credentials } from './connection.ts';
// biome-ignore lint/performance/noBarrelFile: who calls the API server judges its answers, and has both from one place
export {
  ApiError,
  isAlreadyExists,
  isConflict,
  isForbidden,
  isGone,
  isInvalid,
  isNotFound,
  isThrottled,
  isUnanswered,
  isUnauthorized,
} from './errors.ts';
export type { Most, ObjectList } from './listing.ts';
export type { Patch } from './requests.ts';

/** What may be said of any call. */
export interface CallOptions {
  signal?: AbortSignal;
  /** Time for the answer, waits for a throttled server included, the wait for the own limiter not (30 s; lists 60 s a page). */
  timeoutMs?: number;
  /** For example `status` or `eviction`. */
  subresource?: string;
  dryRun?: boolean;
}

/** Which objects to list. */
export interface ListOptions extends Pick<CallOptions, 'signal' | 'timeoutMs'> {
  /** All namespaces when absent. */
  namespace?: string;
  labelSelector?: string;
  fieldSelector?: string;
  /** Objects a page (500); 0 for all at once, as far as they come together. */
  pageSize?: number;
  /** A list of more than that fails; absent for servers that are trusted. */
  most?: Most | undefined;
  /** Where what is kept of the list is counted, until the caller settles or drops it; absent for a list that is not kept. */
  account?: CacheAccount | undefined;
  /** The list is as of this version or a later one; "0" takes what the server has at hand. Absent: the latest. */
  resourceVersion?: string;
  /** Of each object only its metadata comes. */
  metadataOnly?: boolean;
}

/** Which objects a page of a list is of. */
type PageOptions = Omit<ListOptions, 'pageSize' | 'most' | 'account'>;

/** What of each item of a list is kept, page by page, so that a list of large objects takes no more than that. */
export interface Keeping<T extends KubeObject> {
  keep?: ((item: T) => T) | undefined;
}

/** What to send to any other path, as JSON. */
export interface RequestOptions extends Pick<CallOptions, 'signal' | 'timeoutMs'> {
  body?: unknown;
}

/** Under which conditions to delete, and how. */
export interface DeleteOptions extends CallOptions {
  /** The object is deleted only while it has this UID. */
  uid?: string;
  /** The object is deleted only while it has this version. */
  resourceVersion?: string;
  propagation?: 'Background' | 'Foreground' | 'Orphan';
  gracePeriodSeconds?: number;
}

/** Which objects to watch, and from where on. */
export interface WatchOptions {
  signal: AbortSignal;
  namespace?: string;
  labelSelector?: string;
  fieldSelector?: string;
  resourceVersion: string;
  /** After so many seconds the server ends the watch by itself. */
  timeoutSeconds: number;
  /** Called when the server has agreed to the watch; without news nothing else comes for a minute or longer. */
  opened?: () => void;
}

/** Time for an answer, and for a page of a list, in milliseconds. */
const TIMEOUTS = { answer: 30_000, page: 60_000 };

/** API concepts, "Receiving resources as Tables" and metav1 PartialObjectMetadataList; all of it from who does not know that. */
const METADATA_ONLY = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json';

/** Never aborts. */
const NEVER = new AbortController().signal;

/** The account of lists that nobody keeps. */
const PASSING = 'lists in passing';

/** How often a list begins anew because its pages expired. */
const LIST_TRIES = 3;

/** What calls are made with. */
export interface ApiParts extends TransportParts {
  /** Whose name the API server notes beside the fields that are written (API concepts, "Field management"). */
  fieldManager?: string | undefined;
  /** Bounds the lists that are read at once, so that a server whose lists are long holds no more than one of them in memory. */
  lists?: OpenShare | undefined;
  /** A list of more than that fails, whoever asks for it; absent for servers that are trusted. */
  most?: Most | undefined;
  /** What is kept of the cluster; lists that nobody keeps count while they are read. Absent for servers that are trusted. */
  room?: ClusterRoom | undefined;
  /** Time for an answer of calls that name none, milliseconds; 30 s when absent. Lists have 60 s a page. */
  answerMs?: number | undefined;
}

/** Calls to one API server. Each throws an ApiError when it fails, or the signal's reason when that aborts. */
export class Api {
  readonly #transport: Transport;
  readonly #manager: Pick<ApiRequest, 'query'>;
  readonly #answerMs: number;
  readonly #lists: OpenShare | undefined;
  readonly #most: Most | undefined;
  readonly #room: ClusterRoom | undefined;
  readonly #underway: ClusterRoom | undefined;
  readonly #clock: Clock;
  /** Of its watches; absent for servers that are trusted. */
  readonly #pace: Pace | undefined;

  constructor({ fieldManager, answerMs = TIMEOUTS.answer, lists, most, room, ...parts }: ApiParts) {
    this.#lists = lists;
    this.#most = most;
    this.#room = room;
    this.#answerMs = answerMs;
    this.#underway = parts.underway;
    this.#clock = parts.clock;
    this.#pace = room && new Pace(parts.clock);
    this.#transport = new Transport(parts);
    this.#manager = { query: { fieldManager } };
  }

  get<T extends KubeObject>(resource: Resource<T>, ref: Ref, options: CallOptions = {}): Promise<T> {
    return this.#answer({ verb: 'get', resource, path: { ...ref, subresource: options.subresource } }, options);
  }

  /** All pages, from the beginning again when they expire; items carry apiVersion and kind, and no managedFields. */
  async list<T extends KubeObject>(
    resource: Resource<T>,
    options: ListOptions & Keeping<T> = {},
  ): Promise<ObjectList<T>> {
    for (let tries = 1; ; tries++) {
      const leave = await this.#lists?.enter(options.signal ?? NEVER, currentAsker());
      try {
        return await this.#pages(resource, options);
      } catch (error) {
        if (error instanceof ListTooLarge)
          throw connectionError({ what: `list ${resource.plural}`, method: 'GET' }, error);
        if (!isGone(error) || tries === LIST_TRIES) throw error;
      } finally {
        leave?.();
      }
    }
  }

  /** The version of the resource now, and none of its objects: a list of one object at the most. */
  async versionOf(resource: Resource, options: PageOptions = {}): Promise<string> {
    return (await this.#page(resource, options, { limit: 1 })).metadata.resourceVersion;
  }

  /** Puts a new object, or for a subresource such as `eviction` sends it to the object of that name. */
  create<T extends KubeObject>(resource: Resource<T>, object: T, options: CallOptions = {}): Promise<T> {
    const path = pathOfNew(object, options.subresource);
    const request: ApiRequest = { ...this.#manager, verb: 'create', resource, path, body: object, idempotent: false };
    return this.#answer(request, options);
  }

  /** Replaces an object as a whole; with a resourceVersion only while it is of that version. */
  replace<T extends KubeObject>(resource: Resource<T>, object: T, options: CallOptions = {}): Promise<T> {
    const { namespace, name } = object.metadata;
    const path = { namespace, name, subresource: options.subresource };
    return this.#answer({ ...this.#manager, verb: 'replace', resource, path, body: object }, options);
  }

  /** Changes an object, or with an apply makes it; an apply names its own manager. */
  // biome-ignore lint/complexity/useMaxParams: a patch says what, where and how, and takes its options last as every other call does
  patch<T extends KubeObject>(resource: Resource<T>, ref: Ref, patch: Patch, options: CallOptions = {}): Promise<T> {
    const path = { ...ref, subresource: options.subresource };
    return this.#answer({ ...this.#manager, verb: 'patch', resource, path, ...patchDeed(patch) }, options);
  }

  /** Asks for an object's deletion; answers the object when it lives on until its finalizers are gone. */
  async delete<T extends KubeObject>(
    resource: Resource<T>,
    ref: Ref,
    options: DeleteOptions = {},
  ): Promise<T | undefined> {
    const { uid, resourceVersion, propagation, gracePeriodSeconds } = options;
    const body = { preconditions: { uid, resourceVersion }, propagationPolicy: propagation, gracePeriodSeconds };
    const path = { ...ref, subresource: options.subresource };
    const answer = await this.#answer({ verb: 'delete', resource, path, body }, options, async (response) =>
      ofKindOrStatus(await jsonWithin<T>(response, MOST_BYTES.object, this.#underway), resource),
    );
    return answer?.metadata?.deletionTimestamp ? answer : undefined;
  }

  /** One connection of a watch, with bookmarks; ends when the server ends it, throws an ApiError when it breaks. */
  async *watch<T extends KubeObject>(resource: Resource<T>, options: WatchOptions): AsyncGenerator<RawWatchEvent<T>> {
    const { signal, namespace, opened, ...query } = options;
    const call = callOf({
      verb: 'watch',
      resource,
      path: { namespace },
      query: { watch: true, allowWatchBookmarks: true, ...query },
    });
    for await (const line of this.#transport.lines(call, signal, opened)) {
      const from = this.#clock.monotonic();
      yield readEvent(call, line, resource);
      const rest = this.#pace?.spent(this.#clock.monotonic() - from) ?? 0;
      if (rest > 0) await this.#clock.sleep(rest, signal);
    }
  }

  /** Any other path, such as /readyz; an answer in JSON is parsed, any other is text. */
  request(method: string, path: string, options: RequestOptions = {}): Promise<unknown> {
    const call = callOfPath(method, path, options.body);
    return this.#transport.run(call, {
      ms: options.timeoutMs ?? this.#answerMs,
      signal: options.signal,
      read: contentOf,
    });
  }

  /** Takes the server out of the metrics: it is called no more. */
  forget(): void {
    this.#transport.forget();
  }

  async #answer<V>(
    request: ApiRequest,
    { timeoutMs = this.#answerMs, signal, dryRun }: CallOptions,
    read = async (response: Response) =>
      ofKind(await jsonWithin<V>(response, MOST_BYTES.object, this.#underway), request.resource),
  ): Promise<V> {
    const call = callOf({ ...request, query: { ...request.query, dryRun: dryRun ? 'All' : undefined } });
    return await this.#transport.run(call, {
      ms: timeoutMs,
      signal,
      read,
    });
  }

  async #pages<T extends KubeObject>(resource: Resource<T>, options: ListOptions & Keeping<T>): Promise<ObjectList<T>> {
    const passing = options.account ? undefined : this.#room?.account(PASSING);
    const { pageSize = 500, keep = (item: T) => item, most = this.#most, resourceVersion, ...others } = options;
    const { account = passing, ...rest } = others;
    const apiVersion = resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;
    // The token of a further page holds the version.
    const page: Listing<T>['page'] = (at) =>
      this.#page(resource, { ...rest, ...(at.continue === undefined && resourceVersion && { resourceVersion }) }, at);
    const dressed = (item: T) => keep(withoutManagedFields({ apiVersion, kind: resource.kind, ...item }));
    return await listed({ page, pageSize, keep: dressed, most, account }).finally(() => passing?.drop());
  }

  #page<T extends KubeObject>(resource: Resource<T>, options: PageOptions, at: Query): Promise<Page<T>> {
    const { namespace, signal, timeoutMs = TIMEOUTS.page, metadataOnly, ...query } = options;
    const headers = { 'accept-encoding': 'gzip', ...(metadataOnly && { accept: METADATA_ONLY }) };
    return this.#answer(
      { verb: 'list', resource, path: { namespace }, query: { ...query, ...at }, headers },
      { timeoutMs, ...(signal && { signal }) },
      async (response) => pageIn<T>(await jsonWithin(response, MOST_BYTES.page, this.#underway), resource),
    );
  }
}

/** Which objects of a resource are meant; all when empty. */
export type Selection = Pick<ListOptions, 'namespace' | 'labelSelector' | 'fieldSelector'>;

/** The part of the options that says which objects are meant; what is undefined is left out. */
export const selectionIn = ({ namespace, labelSelector, fieldSelector }: Selection): Selection => ({
  ...(namespace !== undefined && { namespace }),
  ...(labelSelector !== undefined && { labelSelector }),
  ...(fieldSelector !== undefined && { fieldSelector }),
});
