import type { Clock } from '../clock.ts';
import { type Bound, type Groups, Taken } from './bounds.ts';
import type { Sharing } from './sharing.ts';
import { type Waiter, WaitingLines } from './standings.ts';
import type { Waitlist } from './waitlist.ts';

/** First come, first served. */
const allAlike: Sharing = { askerOf: () => ({ priority: 0, flow: [] }), levelOf: (priority) => priority };

/** What asks for a slot: a key, and the group in which it counts for each bound, in the order of the bounds. */
export interface SlotRequest {
  key: string;
  groups: Groups;
}

/** How slots are given. */
export interface SlotsOptions {
  clock: Clock;
  /** All of them hold at once, the narrowest first; asked anew each time. */
  bounds: readonly Bound[];
  /** Tells a key that it may take a slot now. */
  enqueue: (key: string) => void;
  /** Among whom they are shared; all alike when absent. */
  sharing?: Sharing | undefined;
}

/** How long a slot is kept for a key that was called, milliseconds: it may want it no longer. */
const KEPT_MS = 10_000;

/** Who waits for longest goes first now and then, as in the queue. */
const SERVING = { agedAfterMs: 30_000, agedShare: 4 };

/**
 * Slots for work of which only so much may run at a time, with several limits at once: a key has room in all groups that it counts in, or
 * takes a slot of none. A key without room waits, and is called in turn (sharing.ts) when there is room, which is kept for it until it is
 * taken or some time has passed. A key that has room does not wait behind one that has none.
 */
export class Slots {
  readonly #o: SlotsOptions;
  readonly #sharing: Sharing;
  /** Those are counted that were called. */
  readonly #taken: Taken;
  readonly #waiting = new Map<string, Waiter>();
  readonly #called = new Map<string, { waiter: Waiter; stop: () => void }>();
  readonly #lines: WaitingLines;
  #order = 0;

  constructor(options: SlotsOptions) {
    this.#o = options;
    this.#sharing = options.sharing ?? allAlike;
    this.#taken = new Taken(options.bounds);
    const { levelOf } = this.#sharing;
    this.#lines = new WaitingLines(this.#taken, { ...SERVING, levelOf, now: () => options.clock.monotonic() });
  }

  /** Whether this key may take a slot now. */
  isFree({ key, groups }: SlotRequest): boolean {
    return this.#isKept(key, groups) || this.#taken.lacking(groups) === undefined;
  }

  /** Takes a slot; the answer gives it back, once. Undefined if there is none: then the key waits. */
  enter(request: SlotRequest): (() => void) | undefined {
    if (!this.isFree(request)) {
      this.await(request);
      return undefined;
    }
    this.#forget(request.key);
    this.#count(request.groups, 1);
    this.#call();
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#count(request.groups, -1);
      this.#call();
    };
  }

  /** Calls the key as soon as it may take a slot, now if it may. */
  await({ key, groups }: SlotRequest): void {
    const known = this.#waiting.get(key) ?? this.#called.get(key)?.waiter;
    if (known && !isSame(known.groups, groups)) this.leave(key);
    if (this.#called.has(key)) this.#o.enqueue(key);
    if (this.#waiting.has(key)) this.#call();
    if (this.#called.has(key) || this.#waiting.has(key)) return;
    const dueAt = this.#o.clock.monotonic();
    const waiter: Waiter = { key, groups, ...this.#sharing.askerOf(key), dueAt, order: this.#order++ };
    this.#waiting.set(key, waiter);
    this.#seat(waiter);
  }

  /** The key wants no slot any more, or is gone. */
  leave(key: string): void {
    if (this.#forget(key)) this.#call();
  }

  #isKept(key: string, groups: Groups): boolean {
    const kept = this.#called.get(key);
    return kept !== undefined && isSame(kept.waiter.groups, groups);
  }

  #count(groups: Groups, change: 1 | -1): void {
    this.#taken.count(groups, change);
    if (change > 0) this.#lines.filled(groups);
    else this.#lines.emptied(groups);
  }

  /** Calls all for whom there is a slot. Of each group that has room the next one comes, and those take turns. */
  #call(): void {
    for (let next = this.#comers(); next.size > 0; next = this.#comers())
      for (let one = this.#serve(next); one; one = this.#serve(next)) this.#seat(one);
  }

  #comers(): Waitlist<Waiter> {
    const line = this.#lines.newLine();
    for (const next of this.#lines.comers()) line.push(next);
    return line;
  }

  #serve(line: Waitlist<Waiter>): Waiter | undefined {
    return line.serve(this.#o.clock.monotonic());
  }

  /** Keeps a slot for the waiter, or has it wait until the group has less that lacks room. */
  #seat(waiter: Waiter): void {
    const bound = this.#taken.lacking(waiter.groups);
    if (bound === undefined) this.#keep(waiter);
    else this.#lines.push(waiter, bound);
  }

  #keep(waiter: Waiter): void {
    const { key, groups } = waiter;
    this.#waiting.delete(key);
    this.#count(groups, 1);
    this.#lines.served(waiter);
    this.#called.set(key, { waiter, stop: this.#o.clock.after(KEPT_MS, () => this.leave(key)) });
    this.#o.enqueue(key);
  }

  /** The key neither waits nor is called; answers whether it was called, and another may be now. */
  #forget(key: string): boolean {
    const waiter = this.#waiting.get(key);
    this.#waiting.delete(key);
    if (waiter) this.#lines.remove(waiter);
    const called = this.#called.get(key);
    this.#called.delete(key);
    called?.stop();
    if (called) this.#count(called.waiter.groups, -1);
    return called !== undefined;
  }
}

const isSame = (a: Groups, b: Groups): boolean => a.every((group, at) => group === b[at]);
