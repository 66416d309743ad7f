import type { Api } from '../client/api.ts';
import { ApiError, isAlreadyExists, isFailure, isNotFound, isUnjudged } from '../client/errors.ts';
import { type Clock, wallOf } from '../clock.ts';
import { currentAsker } from '../fairness/asking.ts';
import { Backoff, type Limiter, tokenBucket } from '../fairness/rate.ts';
import { type Event, events } from '../k8s/core.ts';
import { type KubeObject, microTimestamp } from '../k8s/object.ts';
import type { Log } from '../observability/log.ts';
import type { Metrics, MetricTable } from '../observability/metrics.ts';
import { Queue } from '../queue/queue.ts';
import type { Random } from '../random.ts';
import { eventOf, type Occurrence, StoryRoom, storyOf } from './record.ts';

/** What becomes of events. */
export const eventMetrics = {
  drover_events_total: {
    type: 'counter',
    help: 'Events by what became of them: written, folded (into a series), refused (by the server), dropped (too many).',
    labels: ['outcome'],
  },
} as const satisfies MetricTable;

/** What events need. */
export interface EventsOptions {
  /** Without a shared limiter: events have a small bucket of their own. */
  api: Pick<Api, 'create' | 'patch'>;
  clock: Clock;
  random: Random;
  log: Log;
  metrics: Metrics;
  /** Who reports, for example `drover.dev/controller`. */
  controller: string;
  /** Which of several, for example the pod's name. */
  instance: string;
}

/** What happens again within this time belongs to the same series (client-go's tools/events). */
const SERIES_MS = 6 * 60_000;

/** A series that has begun is written again no sooner than this. */
const REFRESH_MS = 30_000;

/** How many series are remembered, and how many wait to be written, at the most. */
const MOST = { remembered: 4096, waiting: { Normal: 2048, Warning: 3072 } };

/** The events' own rate, apart from all other calls. */
const RATE = { qps: 20, burst: 100 };

/** Warnings are told before all else: what waits for a person is not to wait for what goes well. */
const PRIORITY = { Warning: 1, Normal: 0 };

/** Time for one write, for a pause after a write without answer, and for what is left when all ends. */
const TIMES_MS = { write: 10_000, pause: 5_000, farewell: 3_000 };

/** Delays of a story that the server fails at, while it may take others. */
const RETRY_MS = { baseMs: 5_000, capMs: 5 * 60_000 };

/** After so many tries a story is given up; where so many fail and none is written, it is the server that is in trouble. */
const FAILURES = { tries: 10, stories: 3 };

/** One story: its first event, and how often it has happened. */
interface Series {
  event: Event;
  count: number;
  lastSeen: number;
  /** What the server was told last, and when. */
  told?: { count: number; at: number };
}

/**
 * Tells the API server what happens to objects (events.k8s.io/v1). What happens again is told once, as a series: its
 * first repeat at once, later ones every half minute. Recording never waits, fails or throws: events beyond the bounds
 * are counted and dropped, what the server refuses is logged and counted.
 */
export class Events {
  readonly #options: EventsOptions;
  readonly #limiter: Limiter;
  /** Stories that are to be told. */
  readonly #queue: Queue;
  readonly #room = new StoryRoom();
  /** By story, least recently seen first. */
  readonly #series = new Map<string, Series>();
  readonly #backoff: Backoff;
  /** Stories that failed since one was written. */
  readonly #failing = new Set<string>();

  constructor(options: EventsOptions) {
    this.#options = options;
    this.#limiter = tokenBucket({ clock: options.clock, ...RATE });
    // Namespaces take turns: what happens a thousand times in one does not keep silent what happens in another.
    const flowOf = (story: string) => [this.#series.get(story)?.event.metadata.namespace ?? ''];
    this.#queue = new Queue({ clock: options.clock, flowOf });
    this.#backoff = new Backoff({ random: options.random, ...RETRY_MS });
  }

  /** Something happened to the object; it must carry apiVersion, kind and UID. */
  record(regarding: KubeObject, occurrence: Occurrence): void {
    const story = storyOf(regarding, occurrence);
    const { waits, givesWay } = this.#room.enter(story, {
      namespace: regarding.metadata.namespace ?? '',
      most: MOST.waiting[occurrence.type],
    });
    if (givesWay !== undefined) this.#forget(givesWay);
    if (!waits || givesWay !== undefined) this.#count('dropped');
    if (waits) this.#add(story, { regarding, occurrence });
  }

  /** Writes what is recorded until the signal aborts, and then, for a few seconds, what is left. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const over = new AbortController();
    let cancel = () => {};
    const stop = () => {
      this.#queue.shutdown({ drain: true });
      cancel = this.#options.clock.after(TIMES_MS.farewell, () => over.abort(new Error('no time left for events')));
    };
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    over.signal.addEventListener('abort', () => this.#queue.shutdown(), { once: true });
    for (let next = await this.#queue.get(); next; next = await this.#queue.get()) {
      this.#room.leave(next.key);
      await this.#tell(next.key, over.signal);
      this.#queue.done(next.key);
    }
    cancel();
  }

  #add(story: string, { regarding, occurrence }: { regarding: KubeObject; occurrence: Occurrence }): void {
    const now = this.#options.clock.monotonic();
    const series = this.#recent(story) ?? { event: this.#eventOf(regarding, occurrence), count: 0, lastSeen: now };
    if (series.count++ > 0) this.#count('folded');
    series.lastSeen = now;
    this.#remember(story, series);
    const { told } = series;
    const after = told && told.count > 1 ? told.at + REFRESH_MS - now : 0;
    this.#queue.add(story, { after, priority: priorityOf(occurrence) });
  }

  #recent(story: string): Series | undefined {
    const series = this.#series.get(story);
    return series && this.#options.clock.monotonic() - series.lastSeen < SERIES_MS ? series : undefined;
  }

  #remember(story: string, series: Series): void {
    this.#series.delete(story);
    this.#series.set(story, series);
    if (this.#series.size <= MOST.remembered) return;
    const [oldest = story] = this.#series.keys();
    this.#room.leave(oldest);
    this.#forget(oldest);
  }

  /** Where the story waits still, there is nothing to tell. */
  #forget(story: string): void {
    this.#series.delete(story);
    this.#backoff.forget(story);
  }

  /** What could not be told waits once more, if there still is room. */
  #again(story: string, { event, after = 0 }: { event: Event; after?: number }): void {
    const { namespace = '' } = event.metadata;
    const { waits, givesWay } = this.#room.enter(story, { namespace, most: MOST.waiting.Warning });
    if (givesWay !== undefined) this.#forget(givesWay);
    if (!waits || givesWay !== undefined) this.#count('dropped');
    if (waits) this.#queue.add(story, { after, priority: priorityOf(event) });
  }

  #eventOf(regarding: KubeObject, occurrence: Occurrence): Event {
    const { controller, instance, clock, random } = this.#options;
    return eventOf(regarding, occurrence, { controller, instance, now: clock.now(), chance: random.next() });
  }

  async #tell(story: string, signal: AbortSignal): Promise<void> {
    const series = this.#series.get(story);
    if (!series || series.told?.count === series.count) return;
    const { api, clock } = this.#options;
    try {
      await this.#limiter.take(signal, currentAsker());
      const { count } = series;
      await write({ api, clock }, series, signal);
      series.told = { count, at: clock.monotonic() };
      this.#backoff.forget(story);
      this.#failing.clear();
      this.#count('written');
    } catch (error) {
      if (signal.aborted) return;
      // What was not judged passes: the server's own troubles and the network's; all else stays.
      if (!isUnjudged(error)) this.#giveUp(series, error);
      else await this.#failed(story, { series, error }, signal);
    }
  }

  /** A failure may be the story's own: it is tried later, and given up in the end, and costs the others nothing. */
  async #failed(story: string, failure: { series: Series; error: unknown }, signal: AbortSignal): Promise<void> {
    this.#failing.add(story);
    if (!mayBeOfStory(failure.error) || this.#failing.size >= FAILURES.stories)
      return this.#tellLater(story, failure, signal);
    const { series, error } = failure;
    const after = this.#backoff.next(story);
    if (this.#backoff.count(story) >= FAILURES.tries) {
      this.#backoff.forget(story);
      return this.#giveUp(series, error);
    }
    this.#options.log.debug('Event is told later', { reason: series.event.reason, waitMs: Math.round(after), error });
    this.#again(story, { event: series.event, after });
  }

  /** The server says no: it would say so again, so the series counts as told. */
  #giveUp(series: Series, error: unknown): void {
    const { clock, log } = this.#options;
    const { reason, note, regarding } = series.event;
    series.told = { count: series.count, at: clock.monotonic() };
    this.#count('refused');
    log.warn('Event refused', { regarding: regarding.name, reason, note, error });
  }

  /** The server does not answer: nothing else would be written now, either. */
  async #tellLater(
    story: string,
    { series, error }: { series: Series; error: unknown },
    signal: AbortSignal,
  ): Promise<void> {
    const { clock, log } = this.#options;
    log.warn('Events wait for the server', { waiting: this.#queue.size + 1, error });
    this.#again(story, series);
    await clock.sleep(TIMES_MS.pause, signal).catch(() => {});
  }

  #count(outcome: 'written' | 'folded' | 'refused' | 'dropped'): void {
    this.#options.metrics.count('drover_events_total', { outcome });
  }
}

/** Makes the event, or tells its series; an event that is gone is made anew, one that is there already was ours. */
async function write(
  { api, clock }: Pick<EventsOptions, 'api' | 'clock'>,
  series: Series,
  signal: AbortSignal,
): Promise<void> {
  const { event, count, lastSeen, told } = series;
  const { namespace, name } = event.metadata;
  const options = { signal, timeoutMs: TIMES_MS.write };
  const repeats = count > 1 ? { series: { count, lastObservedTime: microTimestamp(wallOf(clock, lastSeen)) } } : {};
  const create = () => api.create(events, { ...event, ...repeats }, options);
  const patch = () => api.patch(events, { namespace, name }, { type: 'merge', body: repeats }, options);
  if (told) await patch().catch(unless(isNotFound, create));
  else await create().catch(unless(isAlreadyExists, patch));
}

/** Goes another way on one kind of error; throws any other. */
const unless =
  <T>(isExpected: (error: unknown) => boolean, otherwise: () => Promise<T>) =>
  (error: unknown): Promise<T> => {
    if (isExpected(error)) return otherwise();
    throw error;
  };

const priorityOf = ({ type }: Pick<Event, 'type'>): number => (type === 'Warning' ? PRIORITY.Warning : PRIORITY.Normal);

/** Whether the server failed at this write, and may do others; it does none that it was not reached for, or that it throttles. */
const mayBeOfStory = (error: unknown): boolean =>
  isFailure(error) || (error instanceof ApiError && error.reason === 'DeadlineExceeded');
