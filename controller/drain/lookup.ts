import { type Clock, Deadline, unlessAborted } from '../runtime/clock.ts';
import type { ClusterRoom } from '../runtime/memory/cacheroom.ts';
import { weightOf } from '../runtime/memory/weight.ts';
import { jitter, type Random } from '../runtime/random.ts';
import { EVICTION_RETRY_MS } from './flow/plan.ts';
import type { Labels } from './flow/rules.ts';

/** Longest time of a look-up. */
const LOOKUP_MS = 30_000;

/** What a look-up needs beside the call. */
export interface LookupParts {
  clock: Clock;
  random: Random;
  /** Called when there is an answer. */
  enqueue: () => void;
}

/** One thing that is looked up now and then: of what was known the latest counts, whatever fails after it. */
export class Lookup<T> {
  value: T | undefined;
  /** Why the latest look-up failed. */
  failure: string | undefined;
  #inFlight: AbortController | undefined;
  #askedAt = Number.NEGATIVE_INFINITY;
  #retryMs = 0;
  readonly #o: LookupParts;

  constructor(o: LookupParts) {
    this.#o = o;
  }

  /** It is under way. */
  get inFlight(): boolean {
    return this.#inFlight !== undefined;
  }

  /** Whether it was last asked for so long ago; after a failure that rests for longer. */
  isDue(ms: number): boolean {
    const rest = this.failure === undefined ? ms : this.#retryMs;
    return !this.inFlight && this.#o.clock.monotonic() - this.#askedAt >= rest;
  }

  /** Looks it up, unless that is under way. */
  start(run: (signal: AbortSignal) => Promise<T>): void {
    if (this.#inFlight) return;
    this.#inFlight = new AbortController();
    this.#askedAt = this.#o.clock.monotonic();
    void this.#ask(run, this.#inFlight);
  }

  /** What was known, or is on its way, counts no more. It is asked for again no sooner than it would be. */
  drop(): void {
    this.#inFlight?.abort(new DOMException('nobody wants to know any more', 'AbortError'));
    this.#inFlight = undefined;
    this.value = undefined;
    this.failure = undefined;
  }

  async #ask(run: (signal: AbortSignal) => Promise<T>, controller: AbortController): Promise<void> {
    const { clock, random, enqueue } = this.#o;
    const reason = () => new DOMException('it took too long', 'TimeoutError');
    const deadline = new Deadline({ clock, ms: LOOKUP_MS, parent: controller.signal, reason });
    const settle = (change: () => void) => {
      if (this.#inFlight !== controller) return;
      this.#inFlight = undefined;
      change();
      enqueue();
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

/** What is kept of one thing, in the memory that its target may take (hack/decisions/0034). */
export class RoomInUse {
  readonly #room: Pick<ClusterRoom, 'account'> | undefined;
  #used = 0;

  /** @param room absent for a target of the operator, which has no bound */
  constructor(room: Pick<ClusterRoom, 'account'> | undefined) {
    this.#room = room;
  }

  /** It is that of this room. */
  isIn(room: Pick<ClusterRoom, 'account'> | undefined): boolean {
    return this.#room === room;
  }

  /** So much is held from now on, in the place of what was. Throws if that is too much: then nothing has changed. */
  hold(bytes: number): void {
    const why = this.#refusal(bytes);
    if (why !== undefined) throw new Error(`there is no room for them: they would take more than ${why}`);
  }

  /** The same; answers whether there is room for so much. */
  holds(bytes: number): boolean {
    return this.#refusal(bytes) === undefined;
  }

  #refusal(bytes: number): string | undefined {
    const account = this.#room?.account('drains');
    const change = bytes - this.#used;
    const why = account?.grow(change);
    if (why === undefined) this.#used = bytes;
    else account?.grow(-change);
    return why;
  }

  /** Nothing is held any more. */
  free(): void {
    this.hold(0);
  }
}
