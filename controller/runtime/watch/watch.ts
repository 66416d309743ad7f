import { Absence } from '../client/absence.ts';
import type { RawWatchEvent } from '../client/answers.ts';
import { type Api, type Keeping, type ListOptions, type Selection, selectionIn } from '../client/api.ts';
import { ApiError, isUnanswered } from '../client/errors.ts';
import { type Clock, Deadline } from '../clock.ts';
import { Backoff } from '../fairness/rate.ts';
import { compareVersions, type KubeObject, type Resource } from '../k8s/object.ts';
import { accountOf } from '../memory/cacheroom.ts';
import type { Log } from '../observability/log.ts';
import type { Metrics } from '../observability/metrics.ts';
import { fullJitter, type Random } from '../random.ts';
import type { Cache } from './cache.ts';
import { HistoryLost, isForgotten, Renewal, Silence, tooLarge } from './events.ts';
import { Growth, tell, type WatchEvent } from './growth.ts';
import { History } from './history.ts';
import type { CountingFeed, FaultPart } from './objectfaults.ts';
import { differs, Trial } from './trial.ts';

export interface WatchParts<T extends KubeObject> extends Selection, Pick<ListOptions, 'most' | 'account'> {
  api: Api;
  resource: Resource<T>;
  clock: Clock;
  random: Random;
  log: Log;
  metrics?: Metrics;
  /**
   * The server need not serve the resource: that is told instead of held against it, once it is beyond doubt (absence.ts),
   * and asked again from time to time.
   */
  mayBeAbsent?: boolean;
  /** A connection on which nothing came for so long is given up (90 s; a bookmark comes about every minute). */
  idleMs?: number;
  signal: AbortSignal;
}

/** A connection that lasted for so long was a good one: what ends it is not held against the next. */
const STEADY_MS = 5_000;

/** Longest silence, on one connection or on several that follow each other; bookmarks come about every minute. */
const IDLE_MS = 90_000;

/** There is but one thing to back off from. */
const KEY = 'watch';

/** Delays between tries, in milliseconds (client-go's and kube-rs'). */
const RETRY = { baseMs: 800, capMs: 30_000, spread: fullJitter };

/** Longest time that a server is left alone because it asked for that, milliseconds. */
const LEFT_ALONE_MS = 60_000;

/** What a watch asks the server to end itself after, so that many do not end together: five to ten minutes. */
const LASTING = { leastSeconds: 300, spreadSeconds: 300 };

/**
 * Follows a resource by list and watch, after kube-rs' watcher: lists, then watches from the list's version. What ends
 * is followed by a watch from the last version seen, or by a new list when the server says that it has forgotten that version.
 * What fails is logged and tried again; only the signal ends it, and that without an error.
 *
 * Each watch holds a connection for as long as it lasts, and Bun opens only so many at once (runtime/program/program.ts).
 */
export function watch<T extends KubeObject>(
  parts: WatchParts<T>,
  keeping: Keeping<T> = {},
): AsyncGenerator<WatchEvent<T>> {
  return new Watcher(parts, keeping).events();
}

/** Keeps a cache equal to a resource until the signal aborts. Never rejects: what an event meets stays with that event. */
export async function runCache<T extends KubeObject>({
  cache,
  ...parts
}: WatchParts<T> & { cache: Cache<T> }): Promise<void> {
  const { most, account = most && accountOf(most.bytes) } = parts;
  const watcher = new Watcher({ ...parts, account }, { keep: cache.keep }, (items) => differs(cache, items));
  cache.fedBy(watcher);
  const growth = new Growth(cache, most && account && { most, account });
  for await (const event of watcher.events()) {
    try {
      if (growth.isTooMuch(event, () => tell(cache, event))) watcher.renew();
    } catch (error) {
      parts.log.error('an event of a watch was not taken', {
        resource: parts.resource.plural,
        type: event.type,
        error,
      });
    }
  }
}

class Watcher<T extends KubeObject> implements CountingFeed {
  readonly #parts: WatchParts<T>;
  readonly #selection: Selection;
  readonly #most: Pick<ListOptions, 'most' | 'account'>;
  readonly #keeping: Keeping<T>;
  /** Whether what is listed is other than what was told. */
  readonly #differs: (items: readonly T[]) => boolean;
  readonly #backoff: Backoff;
  readonly #trial: Trial;
  readonly #history: History;
  /** Only for a resource that need not be served. */
  readonly #absence: Absence | undefined;
  /** Version up to which everything was told: absent in the state "list", present in the state "watch". */
  #seen: string | undefined;
  /** How long the latest connection lasted. */
  #lastedMs = 0;
  #heardAt: number | undefined;
  #listedAt: number | undefined;
  /** Somebody does not trust what was told so far. */
  #isStale = false;
  /** Ends the connection or the pause that is under way. */
  #interruption = new AbortController();

  constructor(parts: WatchParts<T>, keeping: Keeping<T>, differs: (items: readonly T[]) => boolean = () => false) {
    this.#keeping = keeping;
    this.#differs = differs;
    this.#trial = new Trial(parts);
    this.#history = new History(parts.clock, parts.idleMs ?? IDLE_MS);
    this.#parts = parts;
    this.#selection = selectionIn(parts);
    this.#most = { most: parts.most, account: parts.account };
    this.#backoff = new Backoff({ random: parts.random, ...RETRY });
    this.#absence = parts.mayBeAbsent ? new Absence(parts) : undefined;
  }

  get heardAt(): number | undefined {
    return this.#heardAt;
  }

  get listedAt(): number | undefined {
    return this.#listedAt;
  }

  get wentBackAt(): number | undefined {
    return this.#history.wentBackAt;
  }

  renew(): void {
    this.#isStale = true;
    this.#interruption.abort(new Renewal());
  }

  failed(part: FaultPart): void {
    const { metrics, resource } = this.#parts;
    metrics?.count('drover_cache_errors_total', { name: resource.plural, part });
  }

  async *events(): AsyncGenerator<WatchEvent<T>> {
    while (!this.#parts.signal.aborted) {
      const error = yield* this.#attempt();
      const steady = this.#lastedMs >= STEADY_MS;
      if (steady) this.#backoff.forget(KEY);
      if (error !== undefined || !steady) await this.#pause(error);
    }
  }

  /** One pass through the states; answers what ended it, nothing when the server just let the watch run out. */
  async *#attempt(): AsyncGenerator<WatchEvent<T>, unknown> {
    this.#lastedMs = 0;
    this.#interruption = new AbortController();
    try {
      if (this.#seen === undefined || this.#isStale) yield await this.#list();
      else if ((await this.#isBeyond(this.#seen)) && this.#trial.isDue()) yield await this.#compare(this.#seen);
      yield* this.#connect(this.#trial.from ?? this.#seen ?? '');
      return undefined;
    } catch (error) {
      this.#history.failed(error);
      if (isForgotten(error)) this.#seen = undefined;
      if (await this.#provesAbsence(error)) yield { type: 'absent' };
      const why = tooLarge(error);
      // What came meanwhile is not known: when it fits again, all of it is listed.
      this.#isStale ||= why !== undefined;
      if (why !== undefined) yield { type: 'outgrown', why };
      else if (this.#listedAt === undefined && error instanceof ApiError) yield { type: 'unlisted', error };
      return error;
    }
  }

  async #list(): Promise<Extract<WatchEvent<T>, { type: 'reset' }>> {
    const { api, clock, resource, signal, metrics } = this.#parts;
    const isWanted = this.#seen === undefined || this.#isStale;
    this.#isStale = false;
    const start = clock.monotonic();
    const options = { ...this.#selection, ...this.#most, ...this.#keeping, signal };
    const { items, resourceVersion } = await api.list(resource, options).catch((error: unknown) => {
      // What was asked for has not come. A list that only compares is none that a watch waits for.
      this.#isStale ||= isWanted;
      throw error;
    });
    this.#seen = resourceVersion;
    this.#trial.drop();
    this.#absence?.forget();
    this.#listedAt = start;
    this.#heardAt = start;
    this.#history.listed(start);
    const name = { name: resource.plural };
    metrics?.count('mcm_reflector_lists_total', name);
    metrics?.observe('mcm_reflector_list_duration_seconds', (clock.monotonic() - start) / 1000, name);
    metrics?.observe('mcm_reflector_items_per_list', items.length, name);
    return { type: 'reset', items, resourceVersion };
  }

  /**
   * A server whose history went back, as after a restored backup, is silent towards a version of its future; so is one that
   * has had no news of the resource since it started, and one behind a balancer that cuts connections before the first bookmark.
   * Answers whether the server has gone on meanwhile; false while it spoke of a version of late.
   */
  async #isBeyond(seen: string): Promise<boolean> {
    const { api, resource, signal } = this.#parts;
    if (this.#history.isKnown) return false;
    return this.#history.goesOn(seen, await api.versionOf(resource, { ...this.#selection, signal }));
  }

  /** Lists, and puts the watch on trial if that shows what it has not told. */
  async #compare(seen: string): Promise<WatchEvent<T>> {
    const event = await this.#list();
    if (this.#differs(event.items)) this.#trial.begin(seen);
    return event;
  }

  async *#connect(from: string): AsyncGenerator<WatchEvent<T>> {
    const { api, clock, resource, random, signal, idleMs = IDLE_MS } = this.#parts;
    const start = clock.monotonic();
    const parent = AbortSignal.any([signal, this.#interruption.signal]);
    const idle = new Deadline({ clock, ms: idleMs, parent, reason: () => new Silence(idleMs) });
    const timeoutSeconds = LASTING.leastSeconds + Math.floor(random.next() * LASTING.spreadSeconds);
    let count = 0;
    this.#history.connects();
    try {
      // That it is answered is news of the server: where nothing happens nothing else may come before the connection is cut.
      const opened = () => void (this.#trial.opened() && this.#hear());
      const options = { ...this.#selection, resourceVersion: from, timeoutSeconds, signal: idle.signal, opened };
      for await (const raw of api.watch(resource, options)) {
        idle.moveOn();
        this.#history.spoke(this.#hear());
        count += 1;
        if (this.#trial.told()) throw new Renewal();
        yield this.#told(raw);
      }
      this.#history.ranOut(clock.monotonic() - start >= timeoutSeconds * 1_000);
    } finally {
      idle.end();
      this.#trial.ended();
      this.#lastedMs = clock.monotonic() - start;
      this.#measure(count);
    }
  }

  #hear(): number {
    this.#heardAt = this.#parts.clock.monotonic();
    return this.#heardAt;
  }

  #told({ type, object }: RawWatchEvent<T>): WatchEvent<T> {
    const version = object.metadata.resourceVersion ?? '';
    if (this.#seen !== undefined && compareVersions(version, this.#seen) < 0)
      throw new HistoryLost(this.#seen, version);
    this.#seen = version;
    if (type === 'BOOKMARK') return { type: 'mark', resourceVersion: version };
    return { type: type === 'DELETED' ? 'drop' : 'put', object };
  }

  async #provesAbsence(error: unknown): Promise<boolean> {
    const isProved = (await this.#absence?.provedBy(error).catch(() => false)) ?? false;
    // That there are none is news as well.
    if (isProved) this.#hear();
    if (isProved) this.#seen = undefined;
    return isProved;
  }

  #delayAfter(error: unknown): number {
    return error instanceof Renewal ? 0 : this.#backoff.next(KEY);
  }

  /** Where nothing happens nothing comes, and what stands between cuts what is idle; of a server that hangs the next call tells. */
  #isOrdinary(error: unknown): boolean {
    if (error instanceof Silence || error instanceof Renewal || this.#absence?.againMs !== undefined) return true;
    return this.#lastedMs >= STEADY_MS && isUnanswered(error);
  }

  async #pause(error: unknown): Promise<void> {
    const { clock, log, resource, signal } = this.#parts;
    if (signal.aborted) return;
    const asked = error instanceof ApiError ? Math.min(error.retryAfterMs ?? 0, LEFT_ALONE_MS) : 0;
    const ms = this.#absence?.againMs ?? Math.max(asked, this.#delayAfter(error));
    const fields = { resource: resource.plural, waitMs: Math.round(ms), ...(error !== undefined && { error }) };
    log[this.#isOrdinary(error) ? 'debug' : 'warn']('watch interrupted', fields);
    await clock.sleep(ms, AbortSignal.any([signal, this.#interruption.signal])).catch(() => {});
  }

  #measure(count: number): void {
    const { metrics, resource } = this.#parts;
    const name = { name: resource.plural };
    metrics?.count('mcm_reflector_watches_total', name);
    if (count === 0) metrics?.count('mcm_reflector_short_watches_total', name);
    metrics?.observe('mcm_reflector_watch_duration_seconds', this.#lastedMs / 1000, name);
    metrics?.observe('mcm_reflector_items_per_watch', count, name);
    if (this.#seen !== undefined) metrics?.set('mcm_reflector_last_resource_version', Number(this.#seen), name);
  }
}
