import type { Clock } from '../clock.ts';
import type { Flow } from '../fairness/sharing.ts';
import { type Aging, Waitlist } from '../fairness/waitlist.ts';
import { Heap } from '../heap.ts';

/** How a key is put into the queue. */
export interface AddOptions {
  /** Higher goes first; 0 when absent. */
  priority?: number;
  /** Not given to a worker before so many milliseconds have passed; 0 when absent. */
  after?: number;
}

/** A key that a worker got: no other gets it before `done`. */
export interface QueueItem {
  key: string;
  priority: number;
  flow: Flow;
  /** How long the key was ready before a worker got it, milliseconds. */
  waitedMs: number;
}

/** Priorities in few names, for the labels of metrics: a band begins at its number and ends below the band above. */
export const bands = { urgent: 90, high: 1, normal: -10, low: Number.NEGATIVE_INFINITY } as const;
export type Band = keyof typeof bands;

/** What a queue is made with. */
export interface QueueOptions {
  clock: Clock;
  /** While keys have been ready for longer than this, milliseconds (30 s), ... */
  agedAfterMs?: number;
  /** ... every so many-th (fourth) `get` gives the oldest of them. */
  agedShare?: number;
  /** On whose behalf a key waits, asked when it becomes ready; absent when all keys are of one party. */
  flowOf?: (key: string) => Flow;
  /** Priorities that rank alike between parties; absent means that none do. */
  levelOf?: (priority: number) => number;
  /** Work on a key that took longer than that, milliseconds, is remembered until the next (`tookMs`); absent: none is. */
  slowMs?: number;
}

/** A key that waits: in the queue, for its time, or until its work is done. `dueAt` is when it becomes, or became, ready. */
interface Entry extends Aging<Entry> {
  key: string;
}

const sooner = (a: Entry, b: Entry) => a.dueAt < b.dueAt || (a.dueAt === b.dueAt && a.order < b.order);

const NOBODY: Flow = [];

/** Of so many keys it is remembered how long work on them took, the latest ones: those of objects that are gone would stay. */
const MOST_REMEMBERED = 10_000;

/** All fields are there from the beginning, and items of one shape are the faster to look at. */
const itemOf = (key: string, { priority, dueAt, order }: Pick<Entry, 'priority' | 'dueAt' | 'order'>): Entry => ({
  key,
  priority,
  dueAt,
  order,
  flow: NOBODY,
  slot: undefined,
  previous: undefined,
  next: undefined,
  spot: undefined,
});

/**
 * A priority queue of keys (hack/decisions/0000 5; after controller-runtime's, hack/spec/vm-operator.md 1.7).
 *
 * - A key waits once: of all its adds the highest priority and the earliest time win.
 * - Highest priority first; within a priority first come, first served, and where keys have flows these take turns
 *   (sharing.ts; hack/decisions/0042). A key takes its place when it becomes ready, and goes to the end of its new
 *   priority when it is raised.
 * - A key in work is not given to another worker before `done`; adds meanwhile are kept, on their own terms.
 * - No starvation: while keys have been ready for longer than `agedAfterMs` (30 s), every `agedShare`th (fourth)
 *   `get` gives the one of them that has been ready for longest.
 */
export class Queue {
  readonly #clock: Clock;
  readonly #flowOf: (key: string) => Flow;

  readonly #items = new Map<string, Entry>();
  readonly #delayed = new Heap<Entry>(sooner);
  readonly #ready: Waitlist<Entry>;
  /** Since when, on the monotonic clock. */
  readonly #inWork = new Map<string, number>();
  readonly #slowMs: number;
  readonly #tookMs = new Map<string, number>();
  readonly #waiters = new Set<(item: QueueItem | undefined) => void>();

  #order = 0;
  #added = 0;
  #closing = false;
  #timer: { at: number; cancel: () => void } | undefined;

  constructor({ clock, flowOf, levelOf = (priority) => priority, ...options }: QueueOptions) {
    const { agedAfterMs = 30_000, agedShare = 4, slowMs = Infinity } = options;
    this.#clock = clock;
    this.#slowMs = slowMs;
    this.#flowOf = flowOf ?? (() => NOBODY);
    this.#ready = new Waitlist({ agedAfterMs, agedShare, levelOf: flowOf && levelOf });
  }

  /**
   * Puts a key in, or raises or hastens one that waits: an add without `after` makes a delayed key ready at once. Throws a
   * RangeError for NaN, and changes nothing then.
   */
  add(key: string, { priority = 0, after = 0 }: AddOptions = {}): void {
    // One number that is none would order no other key.
    if (Number.isNaN(after) || Number.isNaN(priority))
      throw new RangeError(`"${key}" cannot be queued: after is ${after} ms and priority ${priority}; give numbers`);
    if (this.#closing) return;
    // The clock is asked once: that takes as long as all the rest.
    const now = this.#clock.monotonic();
    this.#moveDueToReady(now);
    const dueAt = now + Math.max(0, after);
    const waiting = this.#items.get(key);
    if (!waiting) this.#admit(itemOf(key, { priority, dueAt, order: this.#order++ }), now);
    else if (priority > waiting.priority || dueAt < waiting.dueAt) this.#merge(waiting, { priority, dueAt }, now);
    this.#serve(now);
  }

  /** The next key; undefined once the queue is shut down (and drained, where asked for) or the signal aborts. */
  get(signal?: AbortSignal): Promise<QueueItem | undefined> {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve(undefined);
      const leave = () => {
        this.#waiters.delete(receive);
        resolve(undefined);
      };
      const receive = (item: QueueItem | undefined) => {
        signal?.removeEventListener('abort', leave);
        resolve(item);
      };
      signal?.addEventListener('abort', leave, { once: true });
      this.#waiters.add(receive);
      const now = this.#clock.monotonic();
      this.#moveDueToReady(now);
      this.#serve(now);
    });
  }

  /** The work on a key is over. */
  done(key: string): void {
    const since = this.#inWork.get(key);
    if (since === undefined) return;
    this.#inWork.delete(key);
    const now = this.#clock.monotonic();
    this.#remember(key, now - since);
    this.#moveDueToReady(now);
    const kept = this.#items.get(key);
    if (kept) {
      kept.dueAt = Math.max(kept.dueAt, now);
      this.#admit(kept, now);
    }
    this.#serve(now);
  }

  /**
   * Ends the queue: nothing can be added any more, and delayed keys are dropped. With `drain`, ready keys and those that
   * are kept for the end of their work are still given to workers; otherwise they are dropped, too. May be called again.
   */
  shutdown({ drain = false }: { drain?: boolean } = {}): void {
    const now = this.#clock.monotonic();
    this.#moveDueToReady(now);
    this.#closing = true;
    for (const item of this.#items.values()) if (!drain || item.dueAt > now) this.#remove(item);
    this.#setTimer(now);
    this.#serve(now);
  }

  /** How long the last work on a key took, from its hand-out until it was done, milliseconds; 0 unless that was longer than `slowMs`. */
  tookMs(key: string): number {
    return this.#tookMs.get(key) ?? 0;
  }

  /** How many keys wait, ready or not; those in work do not count unless they were added again. */
  get size(): number {
    return this.#items.size;
  }

  /** How often a key became ready, since the beginning. */
  get added(): number {
    return this.#added;
  }

  /** How many keys are ready, by band of priority. */
  depth(): Record<Band, number> {
    const depth: Record<Band, number> = { urgent: 0, high: 0, normal: 0, low: 0 };
    for (const { priority } of this.#ready.values()) depth[bandOf(priority)]++;
    return depth;
  }

  /** For how many milliseconds the oldest ready key has been ready; 0 when none is. */
  oldestReadyMs(): number {
    return this.#ready.oldestMs(this.#clock.monotonic());
  }

  #remember(key: string, ms: number): void {
    this.#tookMs.delete(key);
    if (ms <= this.#slowMs) return;
    this.#tookMs.set(key, ms);
    const [oldest] = this.#tookMs.keys();
    if (this.#tookMs.size > MOST_REMEMBERED && oldest !== undefined) this.#tookMs.delete(oldest);
  }

  #merge(item: Entry, { priority, dueAt }: Pick<Entry, 'priority' | 'dueAt'>, now: number): void {
    const wasReady = this.#remove(item);
    item.priority = Math.max(priority, item.priority);
    item.dueAt = Math.min(dueAt, item.dueAt);
    this.#admit(item, now, wasReady);
  }

  /** Lets an item that is nowhere wait where it belongs. */
  #admit(item: Entry, now: number, wasReady = false): void {
    this.#items.set(item.key, item);
    if (this.#inWork.has(item.key)) return;
    if (item.dueAt <= now) this.#makeReady(item, wasReady);
    else this.#delayed.push(item);
    this.#setTimer(now);
  }

  #makeReady(item: Entry, wasReady = false): void {
    item.order = this.#order++;
    item.flow = this.#flowOf(item.key);
    if (!wasReady) this.#added++;
    this.#ready.push(item);
  }

  /** Takes an item out from wherever it waits; answers whether it was ready. */
  #remove(item: Entry): boolean {
    this.#items.delete(item.key);
    this.#delayed.remove(item);
    return this.#ready.remove(item);
  }

  /** Delayed items whose time has come, earliest first: their place does not depend on how late the timer is. */
  #moveDueToReady(now: number): void {
    for (let item = this.#delayed.peek(); item && item.dueAt <= now; item = this.#delayed.peek()) {
      this.#delayed.remove(item);
      this.#makeReady(item);
    }
    this.#setTimer(now);
  }

  /** One timer, for the earliest delayed item. */
  #setTimer(now: number): void {
    const at = this.#delayed.peek()?.dueAt;
    if (at === this.#timer?.at) return;
    this.#timer?.cancel();
    this.#timer = undefined;
    if (at === undefined) return;
    const cancel = this.#clock.after(at - now, () => {
      this.#timer = undefined;
      const then = this.#clock.monotonic();
      this.#moveDueToReady(then);
      this.#serve(then);
    });
    this.#timer = { at, cancel };
  }

  /** Gives what is ready to those who wait for it, and sends them home when nothing can come any more. */
  #serve(now: number): void {
    for (const receive of this.#waiters) {
      const item = this.#ready.serve(now);
      if (!item && !(this.#closing && this.#items.size === 0)) return;
      this.#waiters.delete(receive);
      receive(item && this.#pop(item, now));
    }
  }

  #pop({ key, priority, flow, dueAt }: Entry, now: number): QueueItem {
    this.#items.delete(key);
    this.#inWork.set(key, now);
    return { key, priority, flow, waitedMs: now - dueAt };
  }
}

function bandOf(priority: number): Band {
  for (const [band, from] of Object.entries(bands)) if (priority >= from) return band as Band;
  return 'low';
}
