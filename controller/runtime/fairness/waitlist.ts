import { Heap, type Heaped } from '../heap.ts';
import { fairLine, type Line, leaveLine, plainLine, type QueueEntry } from './sharing.ts';

/** An item that waits for its turn. */
export interface Aging<T> extends QueueEntry<T>, Heaped {
  /** Since when it waits, milliseconds. */
  dueAt: number;
  /** Its place among those that wait for as long. */
  order: number;
}

/** How those who wait are served. */
export interface Serving {
  /** While somebody has waited for longer than this, milliseconds, ... */
  agedAfterMs: number;
  /** ... every so many-th turn is that of whoever has waited for longest. */
  agedShare: number;
  /** Parties take turns, and priorities of one level rank alike between them; without it flows are ignored. */
  levelOf?: ((priority: number) => number) | undefined;
}

/**
 * Those who wait for something scarce, and who is next: by priority, flow and time (sharing.ts), but for the share of turns
 * that the oldest have, so that nobody starves. Each operation takes O(log n).
 */
export class Waitlist<T extends Aging<T>> {
  readonly #serving: Serving;
  readonly #line: Line<T>;
  /** The same items once more, by age. */
  readonly #aged = new Heap<T>(sooner);
  #agedTurn = 0;

  constructor(serving: Serving) {
    this.#serving = serving;
    this.#line = serving.levelOf ? fairLine<T>(serving.levelOf) : plainLine<T>();
  }

  get size(): number {
    return this.#aged.size;
  }

  /** Every item, in no particular order. */
  values(): Iterable<T> {
    return this.#aged.values();
  }

  push(item: T): void {
    this.#line.push(item);
    this.#aged.push(item);
  }

  /** Takes an item out without serving it; answers whether it was inside. */
  remove(item: T): boolean {
    const wasInside = this.#aged.remove(item);
    if (wasInside) leaveLine(item, false);
    return wasInside;
  }

  /** Takes out whoever is next; undefined while nobody waits. */
  serve(now: number): T | undefined {
    const item = this.#choose(now);
    if (!item) return undefined;
    this.#aged.remove(item);
    leaveLine(item, true);
    return item;
  }

  /** For how many milliseconds the oldest has waited; 0 when nobody does. */
  oldestMs(now: number): number {
    const oldest = this.#aged.peek();
    return oldest ? now - oldest.dueAt : 0;
  }

  #choose(now: number): T | undefined {
    const { agedAfterMs, agedShare } = this.#serving;
    if (this.oldestMs(now) <= agedAfterMs) return this.#line.peek();
    this.#agedTurn = (this.#agedTurn + 1) % agedShare;
    return this.#agedTurn === 0 ? this.#aged.peek() : this.#line.peek();
  }
}

const sooner = (a: Aging<unknown>, b: Aging<unknown>) =>
  a.dueAt < b.dueAt || (a.dueAt === b.dueAt && a.order < b.order);
