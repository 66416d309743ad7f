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
import { Backlog, eventOf, type Occurrence, seriesKeyOf } from './record.ts';

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

/** Warnings are written first: what waits for a person is not to wait for what goes well. */
const PRIORITY = { Warning: 1, Normal: 0 };

/** Time for one write, for a pause after a write without answer, and for what is left when all ends. */
const TIMES_MS = { write: 10_000, pause: 5_000, farewell: 3_000 };

/** Delays before a series is tried again that the server fails at, while it may accept others. */
const RETRY_MS = { baseMs: 5_000, capMs: 5 * 60_000 };

/** After so many tries a series is given up; where so many fail and none is written, it is the server that is in trouble. */
const FAILURES = { tries: 10, series: 3 };

/** One series: its first event, and how often it has happened. */
interface Series {
  event: Event;
  count: number;
  lastSeen: number;
  /** The count that was written last, and when. */
  written?: { count: number; at: number };
}

/**
 * Writes events of events.k8s.io/v1. What happens again updates the series of the first event: its
 * first repeat at once, later ones every half minute. Recording never waits, fails or throws: events beyond the bounds
 * are counted and dropped, what the server refuses is logged and counted.
 */
export class Events {
  readonly #options: EventsOptions;
  readonly #limiter: Limiter;
  /** Keys of series that are to be written. */
  readonly #queue: Queue;
  readonly #backlog = new Backlog();
  /** By key, least recently seen first. */
  readonly #series = new Map<string, Series>();
  readonly #backoff: Backoff;
  /** Keys of series that failed since one was written. */
  readonly #failing = new Set<string>();

  constructor(options: EventsOptions) {
    this.#options = options;
    this.#limiter = tokenBucket({ clock: options.clock, ...RATE });
    // Namespaces take turns: a thousand events of one do not hold up those of another.
    const flowOf = (key: string) => [this.#series.get(key)?.event.metadata.namespace ?? ''];
    this.#queue = new Queue({ clock: options.clock, flowOf });
    this.#backoff = new Backoff({ random: options.random, ...RETRY_MS });
  }

  /** Something happened to the object; it must carry apiVersion, kind and UID. */
  record(regarding: KubeObject, occurrence: Occurrence): void {
    const key = seriesKeyOf(regarding, occurrence);
    const { waits, dropped } = this.#backlog.add(key, {
      namespace: regarding.metadata.namespace ?? '',
      most: MOST.waiting[occurrence.type],
    });
    if (dropped !== undefined) this.#forget(dropped);
    if (!waits || dropped !== undefined) this.#count('dropped');
    if (waits) this.#add(key, { regarding, occurrence });
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
      this.#backlog.remove(next.key);
      await this.#write(next.key, over.signal);
      this.#queue.done(next.key);
    }
    cancel();
  }

  #add(key: string, { regarding, occurrence }: { regarding: KubeObject; occurrence: Occurrence }): void {
    const now = this.#options.clock.monotonic();
    const series = this.#recent(key) ?? { event: this.#eventOf(regarding, occurrence), count: 0, lastSeen: now };
    if (series.count++ > 0) this.#count('folded');
    series.lastSeen = now;
    this.#remember(key, series);
    const { written } = series;
    const after = written && written.count > 1 ? written.at + REFRESH_MS - now : 0;
    this.#queue.add(key, { after, priority: priorityOf(occurrence) });
  }

  #recent(key: string): Series | undefined {
    const series = this.#series.get(key);
    return series && this.#options.clock.monotonic() - series.lastSeen < SERIES_MS ? series : undefined;
  }

  #remember(key: string, series: Series): void {
    this.#series.delete(key);
    this.#series.set(key, series);
    if (this.#series.size <= MOST.remembered) return;
    const [oldest = key] = this.#series.keys();
    this.#backlog.remove(oldest);
    this.#forget(oldest);
  }

  /** Where its key is still in the queue, there is nothing to write. */
  #forget(key: string): void {
    this.#series.delete(key);
    this.#backoff.forget(key);
  }

  /** A series that could not be written waits once more, if there is still room. */
  #requeue(key: string, { event, after = 0 }: { event: Event; after?: number }): void {
    const { namespace = '' } = event.metadata;
    const { waits, dropped } = this.#backlog.add(key, { namespace, most: MOST.waiting.Warning });
    if (dropped !== undefined) this.#forget(dropped);
    if (!waits || dropped !== undefined) this.#count('dropped');
    if (waits) this.#queue.add(key, { after, priority: priorityOf(event) });
  }

  #eventOf(regarding: KubeObject, occurrence: Occurrence): Event {
    const { controller, instance, clock, random } = this.#options;
    return eventOf(regarding, occurrence, { controller, instance, now: clock.now(), chance: random.next() });
  }

  async #write(key: string, signal: AbortSignal): Promise<void> {
    const series = this.#series.get(key);
    if (!series || series.written?.count === series.count) return;
    const { api, clock } = this.#options;
    try {
      await this.#limiter.take(signal, currentAsker());
      const { count } = series;
      await write({ api, clock }, series, signal);
      series.written = { count, at: clock.monotonic() };
      this.#backoff.forget(key);
      this.#failing.clear();
      this.#count('written');
    } catch (error) {
      if (signal.aborted) return;
      // What was not judged passes: the server's own troubles and the network's; all else stays.
      if (!isUnjudged(error)) this.#giveUp(series, error);
      else await this.#failed(key, { series, error }, signal);
    }
  }

  /** A failure may be due to the series itself: then it is tried later, given up in the end, and holds up no other. */
  async #failed(key: string, failure: { series: Series; error: unknown }, signal: AbortSignal): Promise<void> {
    this.#failing.add(key);
    if (!mayBeOfSeries(failure.error) || this.#failing.size >= FAILURES.series)
      return this.#pause(key, failure, signal);
    const { series, error } = failure;
    const after = this.#backoff.next(key);
    if (this.#backoff.count(key) >= FAILURES.tries) {
      this.#backoff.forget(key);
      return this.#giveUp(series, error);
    }
    this.#options.log.debug('Event is written later', {
      reason: series.event.reason,
      waitMs: Math.round(after),
      error,
    });
    this.#requeue(key, { event: series.event, after });
  }

  /** The server refuses the event, and would again: the series counts as written. */
  #giveUp(series: Series, error: unknown): void {
    const { clock, log } = this.#options;
    const { reason, note, regarding } = series.event;
    series.written = { count: series.count, at: clock.monotonic() };
    this.#count('refused');
    log.warn('Event refused', { regarding: regarding.name, reason, note, error });
  }

  /** The server does not answer: nothing else would be written now, either. */
  async #pause(key: string, { series, error }: { series: Series; error: unknown }, signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#options;
    log.warn('Events wait for the server', { waiting: this.#queue.size + 1, error });
    this.#requeue(key, series);
    await clock.sleep(TIMES_MS.pause, signal).catch(() => {});
  }

  #count(outcome: 'written' | 'folded' | 'refused' | 'dropped'): void {
    this.#options.metrics.count('drover_events_total', { outcome });
  }
}

/** Creates the event, or updates its series; an event that is gone is created anew, one that is there already was ours. */
async function write(
  { api, clock }: Pick<EventsOptions, 'api' | 'clock'>,
  series: Series,
  signal: AbortSignal,
): Promise<void> {
  const { event, count, lastSeen, written } = series;
  const { namespace, name } = event.metadata;
  const options = { signal, timeoutMs: TIMES_MS.write };
  const repeats = count > 1 ? { series: { count, lastObservedTime: microTimestamp(wallOf(clock, lastSeen)) } } : {};
  const create = () => api.create(events, { ...event, ...repeats }, options);
  const patch = () => api.patch(events, { namespace, name }, { type: 'merge', body: repeats }, options);
  if (written) await patch().catch(unless(isNotFound, create));
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
const mayBeOfSeries = (error: unknown): boolean =>
  isFailure(error) || (error instanceof ApiError && error.reason === 'DeadlineExceeded');
