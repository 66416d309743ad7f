import { ApiError, isNotFound } from '../client/errors.ts';
import { type Clock, wallOf } from '../clock.ts';
import type { Log } from '../observability/log.ts';
import type { Feed } from '../watch/objectfaults.ts';
import { SILENT_MS } from '../watch/syncing.ts';
import {
  after,
  failedFor,
  GIVEN_UP_MS,
  isUnreachable,
  type ProbeState,
  type ReachFact,
  type ReachLimits,
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
  /** Unreachable for longer than this is more than a blip, milliseconds. */
  unreachableAfterMs: number;
  /** Time between probes of a server that answers, milliseconds. */
  periodMs: number;
  /** See {@link ReachFact.backSince}, as long as no probe has failed and the clock was not set. */
  from: number;
}

/** Longest time for an answer, milliseconds. */
const ANSWER_MS = 5_000;
/** Number of probes within the time after which a streak is an outage (hack/spec/mcm.md 8.2). */
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
  /** Those among them, and beside, that are listed anew with the others. */
  readonly #renewed: Feed[] = [];
  readonly #renewedFor = new Map<Feed, number>();
  readonly #listeners = new Set<() => void>();
  readonly #settled = Promise.withResolvers<void>();
  #state: ProbeState;
  /** On the monotonic clock. */
  #lookedAt: number;
  /** How far the wall clock is ahead of the monotonic one, as far as is known. */
  #ahead: number;
  #steppedAt: number | undefined;
  /** How often the wall clock was set, or the store went back. */
  #steps = 0;
  /** When the store was last taken for one that went back. */
  #wentBackAt = -Infinity;
  #failure: ApiError | undefined;
  #failedMs: number | undefined;

  constructor(options: ReachOptions) {
    this.#o = options;
    this.#limits = { unreachableAfterMs: options.unreachableAfterMs, silentMs: SILENT_MS };
    this.#lookedAt = options.clock.monotonic();
    this.#ahead = this.#aheadNow();
    this.#state = unprobed(this.#lookedAt, options);
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
    const { unreachableSince, backSince } = this.#present();
    return {
      backSince,
      ...(unreachableSince !== undefined && { unreachableSince: wallOf(clock, unreachableSince) }),
      ...(this.#steppedAt !== undefined && { steppedAt: this.#steppedAt }),
    };
  }

  #present(): ProbeState {
    const { clock, unreachableAfterMs, periodMs } = this.#o;
    this.#noticeStep();
    this.#noticeRestore();
    const times = { now: clock.monotonic(), lookedAt: this.#lookedAt, latestMs: unreachableAfterMs + periodMs };
    return unlessLate(this.#state, times);
  }

  #aheadNow(): number {
    return this.#o.clock.now() - this.#o.clock.monotonic();
  }

  /** The wall clock was set by more than a blip: as after an outage, whatever a probe under way may tell. */
  #noticeStep(): void {
    const { clock, log, name, unreachableAfterMs } = this.#o;
    const byMs = this.#aheadNow() - this.#ahead;
    if (Math.abs(byMs) <= unreachableAfterMs) return;
    this.#ahead += byMs;
    this.#steps++;
    this.#steppedAt = clock.now();
    this.#state = stepped(clock.monotonic(), { wall: this.#steppedAt, unreachableAfterMs: unreachableAfterMs });
    log.warn('the clock was set: what waits for a time begins anew', { server: name, byMs });
  }

  /**
   * A cache found that the store went back, as after a restored backup: what any of them shows may be of a time that never was. It is as
   * after an outage. What several find within the time of one is one: each is listed anew for it, and by itself if it finds so again.
   */
  #noticeRestore(): void {
    const { clock, log, name, unreachableAfterMs } = this.#o;
    const found = Math.max(...this.#renewed.map(({ wentBackAt = -Infinity }) => wentBackAt));
    if (found <= this.#wentBackAt + unreachableAfterMs) return;
    this.#wentBackAt = found;
    const now = clock.monotonic();
    this.#steps++;
    this.#state = { ...stepped(now, { wall: clock.now(), unreachableAfterMs }), answersSince: now };
    log.warn('the store of the API server went back, as after a restored backup: all is listed anew', { server: name });
    this.#renew(now);
  }

  /**
   * Resolves once the state of the server is known: a probe has failed, or one succeeded and the needed lists are in; and
   * when the server is no longer followed.
   */
  get settled(): Promise<void> {
    return this.#settled.promise;
  }

  /** Judges by these caches, too: while one of them receives nothing, the server counts as unreachable. */
  judgeBy(...caches: Feed[]): void {
    this.#caches.push(...caches);
    this.renewsToo(...caches);
  }

  /** Lists these caches anew, too, after an outage, and when the store went back. */
  renewsToo(...caches: Feed[]): void {
    this.#renewed.push(...caches);
  }

  /**
   * Judges by these caches, and ends no outage, nor the streak of failures that a process begins with, before each has its first list; a
   * cache that is outgrown receives nothing. Only for caches without which nothing can be judged, of resources that can surely be listed: a
   * cache that is never filled would keep the server unreachable for ever.
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
      if (!this.#state.unbroken) this.#settled.resolve();
      const away = isUnreachable(this.#state, clock.monotonic(), this.#o.unreachableAfterMs);
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
    this.#state = after(before, { at, endedAt: clock.now(), answered, heardAt, listedAt }, this.#limits);
    this.#renew(this.#state.answersSince ?? -Infinity);
  }

  #count(answered: boolean, at: number): void {
    const { clock, unreachableAfterMs } = this.#o;
    const elapsedMs = clock.monotonic() - (this.#failedMs === undefined ? at : this.#lookedAt);
    const mostMs = unreachableAfterMs / PROBES + ANSWER_MS;
    this.#failedMs = failedFor(this.#failedMs, { answered, elapsedMs, mostMs });
  }

  /** Lists anew, once, what was listed before the server answered again; some caches join later. */
  #renew(answersSince: number): void {
    for (const cache of this.#renewed) {
      const isOld = (cache.listedAt ?? Infinity) < answersSince;
      if (!isOld || this.#renewedFor.get(cache) === answersSince) continue;
      this.#renewedFor.set(cache, answersSince);
      cache.renew();
    }
  }

  async #answers(signal: AbortSignal): Promise<boolean> {
    const { probe, log, name, unreachableAfterMs } = this.#o;
    try {
      await probe({ timeoutMs: Math.min(ANSWER_MS, unreachableAfterMs / PROBES), signal }).catch(unlessNotFound);
      this.#failure = undefined;
      return true;
    } catch (error) {
      this.#failure = error instanceof ApiError ? error : undefined;
      if (!signal.aborted) log.debug('API server does not answer', { server: name, error });
      return false;
    }
  }

  #pauseMs(): number {
    const { unreachableSince, answersSince } = this.#state;
    const { clock, unreachableAfterMs, periodMs } = this.#o;
    if (answersSince === undefined) return unreachableSince === undefined ? periodMs : unreachableAfterMs / PROBES;
    return Math.min(LISTING_MS.most, Math.max(LISTING_MS.least, clock.monotonic() - answersSince));
  }

  #log(away: boolean): void {
    const { log, name } = this.#o;
    if (away) log.warn('API server is unreachable', { server: name, since: this.fact().unreachableSince });
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
