import { type Clock, Deadline, unlessAborted } from '../runtime/clock.ts';
import { jitter, type Random } from '../runtime/random.ts';
import type { ClusterRoom } from '../runtime/room/cacheroom.ts';
import { weightOf } from '../runtime/room/weight.ts';
import { EVICTION_RETRY_MS } from './flow/plan.ts';
import type { Labels } from './flow/rules.ts';

/** Longest time of a look-up. */
const LOOKUP_MS = 30_000;

/** What a look-up needs beside the call. */
export interface LookupParts {
  clock: Clock;
  random: Random;
  /** Called when there is an answer. */
  wake: () => void;
}

/** One thing that is looked up now and then: of what was known the latest counts, whatever fails after it. */
export class Lookup<T> {
  value: T | undefined;
  /** Why the latest look-up failed. */
  failure: string | undefined;
  #flight: AbortController | undefined;
  #askedAt = Number.NEGATIVE_INFINITY;
  #retryMs = 0;
  readonly #o: LookupParts;

  constructor(o: LookupParts) {
    this.#o = o;
  }

  /** It is under way. */
  get flying(): boolean {
    return this.#flight !== undefined;
  }

  /** Whether it was last asked for so long ago; after a failure that rests for longer. */
  isDue(ms: number): boolean {
    const rest = this.failure === undefined ? ms : this.#retryMs;
    return !this.flying && this.#o.clock.monotonic() - this.#askedAt >= rest;
  }

  /** Looks it up, unless that is under way. */
  start(run: (signal: AbortSignal) => Promise<T>): void {
    if (this.#flight) return;
    this.#flight = new AbortController();
    this.#askedAt = this.#o.clock.monotonic();
    void this.#ask(run, this.#flight);
  }

  /** What was known, or is on its way, counts no more. It is asked for again no sooner than it would be. */
  drop(): void {
    this.#flight?.abort(new DOMException('nobody wants to know any more', 'AbortError'));
    this.#flight = undefined;
    this.value = undefined;
    this.failure = undefined;
  }

  async #ask(run: (signal: AbortSignal) => Promise<T>, flight: AbortController): Promise<void> {
    const { clock, random, wake } = this.#o;
    const reason = () => new DOMException('it took too long', 'TimeoutError');
    const deadline = new Deadline({ clock, ms: LOOKUP_MS, parent: flight.signal, reason });
    const settle = (change: () => void) => {
      if (this.#flight !== flight) return;
      this.#flight = undefined;
      change();
      wake();
    };
    try {
      const value = await unlessAborted(run(deadline.signal), deadline.signal);
      settle(() => Object.assign(this, { value, failure: undefined }));
    } catch (error) {
      const failure = error instanceof Error ? error.message : String(error);
      settle(() => Object.assign(this, { failure }));
      this.#retryMs = jitter(random, EVICTION_RETRY_MS);
    } finally {
      deadline.end();
    }
  }
}

/** What something takes beside its labels: what it is found by, and what rules say of it. */
const BESIDE = 512;

/** What so many things with these labels take together; labels that they share count once. */
export const weightOfLabels = (labels: Iterable<Labels>, things: number): number =>
  [...labels].reduce((sum, one) => sum + weightOf(one), 0) + things * BESIDE;

/** The labels of one thing, in the memory that its target may take (hack/decisions/0034). */
export class LabelRoom {
  readonly #room: Pick<ClusterRoom, 'account'> | undefined;
  #held = 0;

  /** @param room absent for a target of the operator, which has no bound */
  constructor(room: Pick<ClusterRoom, 'account'> | undefined) {
    this.#room = room;
  }

  /** So much is held from now on, in the place of what was. Throws if that is too much: then nothing has changed. */
  hold(bytes: number): void {
    const account = this.#room?.account('labels');
    const change = bytes - this.#held;
    const why = account?.grow(change);
    if (why !== undefined) {
      account?.grow(-change);
      throw new Error(`there is no room for them: they would take more than ${why}`);
    }
    this.#held = bytes;
  }

  /** Nothing is held any more. */
  free(): void {
    this.hold(0);
  }
}
