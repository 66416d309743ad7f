import { ApiError, isNotFound } from '../client/errors.ts';
import { type Clock, wallOf } from '../clock.ts';
import type { Log } from '../observability/log.ts';
import type { Feed } from '../watch/objectfaults.ts';
import { SILENT_MS } from '../watch/syncing.ts';
import {
  after,
  failedFor,
  GIVEN_UP_MS,
  isAway,
  type ReachFact,
  type ReachLimits,
  type Standing,
  stepped,
  unlessLate,
  unprobed,
} from './probestate.ts';

export type { ReachFact } from './probestate.ts';

/** What following an API server needs. */
export interface ReachOptions {
  clock: Clock;
  log: Log;
  /** Name of the server in the log. */
  name: string;
  /** A cheap read that the server's store takes part in; anything but success or NotFound counts as no answer. */
  probe(options: { timeoutMs: number; signal: AbortSignal }): Promise<unknown>;
  /** Away for longer is more than a blip, milliseconds. */
  awayMs: number;
  /** Time between probes of a server that answers, milliseconds. */
  periodMs: number;
  /** See {@link ReachFact.backSince}, as long as no probe has failed and the clock was not set. */
  from: number;
}

/** Longest time for an answer, milliseconds. */
const ANSWER_MS = 5_000;
/** Number of probes within the time after which a streak is an outage (MCM 8.2). */
const PROBES = 5;
/** Time between checks for the lists that end an outage: short at first, as they mostly come at once. */
const LISTING_MS = { least: 20, most: 1_000 };

/** A cache, which something may feed. */
export interface Fed extends Feed {
  /** Something feeds it, so that a first list is to come. */
  readonly fed: boolean;
  /** See `Cache.outgrown`. */
  readonly outgrown?: string | undefined;
}

/** Follows one API server: does it answer, and do its watches deliver? */
export class Reach {
  readonly #o: ReachOptions;
  readonly #limits: ReachLimits;
  readonly #caches: Feed[] = [];
  readonly #needed: Fed[] = [];
  readonly #renewedFor = new Map<Feed, number>();
  readonly #listeners = new Set<() => void>();
  readonly #settled = Promise.withResolvers<void>();
  #standing: Standing;
  /** On the monotonic clock. */
  #lookedAt: number;
  /** How far the wall clock is ahead of the monotonic one, as far as is known. */
  #ahead: number;
  #steppedAt: number | undefined;
  /** How often the wall clock was set. */
  #steps = 0;
  #failure: ApiError | undefined;
  #failedMs: number | undefined;

  constructor(options: ReachOptions) {
    this.#o = options;
    this.#limits = { awayMs: options.awayMs, silentMs: SILENT_MS };
    this.#lookedAt = options.clock.monotonic();
    this.#ahead = this.#aheadNow();
    this.#standing = unprobed(this.#lookedAt, options);
  }

  /** Why the latest probe that failed did; undefined after one that did not. */
  get failure(): ApiError | undefined {
    return this.#failure;
  }

  /** Its probes have failed for so long, seen by this process, that objects being deleted no longer wait for it. */
  get isGivenUp(): boolean {
    return (this.#failedMs ?? 0) > GIVEN_UP_MS;
  }

  /** How the server stands. */
  fact(): ReachFact {
    const { clock } = this.#o;
    const { awaySince, backSince } = this.#present();
    return {
      backSince,
      ...(awaySince !== undefined && { awaySince: wallOf(clock, awaySince) }),
      ...(this.#steppedAt !== undefined && { steppedAt: this.#steppedAt }),
    };
  }

  #present(): Standing {
    const { clock, awayMs, periodMs } = this.#o;
    this.#noticeStep();
    const times = { now: clock.monotonic(), lookedAt: this.#lookedAt, latestMs: awayMs + periodMs };
    return unlessLate(this.#standing, times);
  }

  #aheadNow(): number {
    return this.#o.clock.now() - this.#o.clock.monotonic();
  }

  /** The wall clock was set by more than a blip: as after an outage, whatever a probe under way may tell. */
  #noticeStep(): void {
    const { clock, log, name, awayMs } = this.#o;
    const byMs = this.#aheadNow() - this.#ahead;
    if (Math.abs(byMs) <= awayMs) return;
    this.#ahead += byMs;
    this.#steps++;
    this.#steppedAt = clock.now();
    this.#standing = stepped(clock.monotonic(), { wall: this.#steppedAt, awayMs });
    log.warn('the clock was set: what waits for a time begins anew', { server: name, byMs });
  }

  /**
   * Resolves once the state of the server is known: a probe has failed, or one succeeded and the needed lists are in; and
   * when the server is no longer followed.
   */
  get settled(): Promise<void> {
    return this.#settled.promise;
  }

  /** Judges by these caches, too: while one of them hears nothing, the server counts as away. */
  judgeBy(...caches: Feed[]): void {
    this.#caches.push(...caches);
  }

  /**
   * Judges by these caches, and ends no outage, nor the streak that a process begins with, before each has its first list; a
   * cache that is outgrown hears nothing.
   * Only for caches without which nothing can be judged, of resources that may surely be listed: a cache that is never
   * filled keeps the server away for ever.
   */
  need(...caches: Fed[]): void {
    this.judgeBy(...caches);
    this.#needed.push(...caches);
  }

  /** Calls `listener` when a streak becomes an outage, or the server is given up, and when that is over; the answer ends that. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Probes again and again until the signal aborts. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#o;
    let told = true;
    let toldGivenUp = false;
    while (!signal.aborted) {
      await this.#look(signal);
      if (!this.#standing.unbroken) this.#settled.resolve();
      const away = isAway(this.#standing, clock.monotonic(), this.#o.awayMs);
      if (away !== told) this.#log(away);
      if (away !== told || this.isGivenUp !== toldGivenUp) this.#tell();
      told = away;
      toldGivenUp = this.isGivenUp;
      await clock.sleep(this.#pauseMs(), signal).catch(() => {});
    }
    this.#settled.resolve();
  }

  async #look(signal: AbortSignal): Promise<void> {
    const { clock } = this.#o;
    const caches = this.#caches;
    const at = clock.monotonic();
    const before = this.#present();
    const steps = this.#steps;
    const answered = await this.#answers(signal);
    this.#noticeStep();
    this.#count(answered, at);
    this.#lookedAt = clock.monotonic();
    if (this.#steps !== steps) return;
    const isOutgrown = this.#needed.some(({ outgrown }) => outgrown !== undefined);
    const heardAt = isOutgrown ? -Infinity : Math.min(...caches.map((cache) => cache.heardAt ?? Infinity));
    const isUnlisted = this.#needed.some(({ fed, listedAt }) => fed && listedAt === undefined);
    const listedAt = isUnlisted ? -Infinity : Math.min(...caches.map((cache) => cache.listedAt ?? Infinity));
    this.#standing = after(before, { at, endedAt: clock.now(), answered, heardAt, listedAt }, this.#limits);
    this.#renew(this.#standing.answersSince ?? -Infinity);
  }

  #count(answered: boolean, at: number): void {
    const { clock, awayMs } = this.#o;
    const elapsedMs = clock.monotonic() - (this.#failedMs === undefined ? at : this.#lookedAt);
    const mostMs = awayMs / PROBES + ANSWER_MS;
    this.#failedMs = failedFor(this.#failedMs, { answered, elapsedMs, mostMs });
  }

  /** Lists anew, once, what was listed before the server answered again; some caches join later. */
  #renew(answersSince: number): void {
    for (const cache of this.#caches) {
      const isOld = (cache.listedAt ?? Infinity) < answersSince;
      if (!isOld || this.#renewedFor.get(cache) === answersSince) continue;
      this.#renewedFor.set(cache, answersSince);
      cache.renew();
    }
  }

  async #answers(signal: AbortSignal): Promise<boolean> {
    const { probe, log, name, awayMs } = this.#o;
    try {
      await probe({ timeoutMs: Math.min(ANSWER_MS, awayMs / PROBES), signal }).catch(unlessNotFound);
      this.#failure = undefined;
      return true;
    } catch (error) {
      this.#failure = error instanceof ApiError ? error : undefined;
      if (!signal.aborted) log.debug('API server does not answer', { server: name, error });
      return false;
    }
  }

  #pauseMs(): number {
    const { awaySince, answersSince } = this.#standing;
    const { clock, awayMs, periodMs } = this.#o;
    if (answersSince === undefined) return awaySince === undefined ? periodMs : awayMs / PROBES;
    return Math.min(LISTING_MS.most, Math.max(LISTING_MS.least, clock.monotonic() - answersSince));
  }

  #log(away: boolean): void {
    const { log, name } = this.#o;
    if (away) log.warn('API server is away', { server: name, since: this.fact().awaySince });
    else log.info('API server answers', { server: name });
  }

  #tell(): void {
    for (const listener of this.#listeners) this.#call(listener);
  }

  /** What a listener throws is its own affair: the server is followed all the same. */
  #call(listener: () => void): void {
    const { log, name } = this.#o;
    try {
      listener();
    } catch (error) {
      log.error('who was told of an API server failed', { server: name, error });
    }
  }
}

/** That what was asked for is not there is an answer. */
function unlessNotFound(error: unknown): void {
  if (!isNotFound(error)) throw error;
}
