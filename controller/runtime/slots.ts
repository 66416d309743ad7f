import type { Clock } from './clock.ts';
import type { Sharing } from './sharing.ts';
import { type Aging, Waitlist } from './waitlist.ts';

/** Tells how many a group may have while all others together have so many; it must not rise as they have more. */
export type Bound = (group: string, others: number) => number;

/**
 * At most half of what the others leave (hack/decisions/0045): however many one party could use, there is as much for the next
 * that comes, and one party alone never takes all. Of a single thing somebody must be able to take it.
 */
export const halfOfTheRest = (all: number, others: number): number =>
  others === 0 ? Math.max(1, Math.floor(all / 2)) : Math.floor((all - others) / 2);

/** First come, first served. */
const allAlike: Sharing = { askerOf: () => ({ priority: 0, flow: [] }), levelOf: (priority) => priority };

/** What asks for a slot: a key, and the group in which it counts for each bound, in the order of the bounds. */
export interface SlotRequest {
  key: string;
  groups: readonly string[];
}

/** How slots are given. */
export interface SlotsOptions {
  clock: Clock;
  /** All of them hold at once, the narrowest first; asked anew each time. */
  bounds: readonly Bound[];
  /** Tells a key that it may take a slot now. */
  wake: (key: string) => void;
  /** Among whom they are shared; all alike when absent. */
  sharing?: Sharing | undefined;
}

/** How long a slot is kept for a key that was called, milliseconds: it may want it no longer. */
const KEPT_MS = 10_000;

/** Who waits for longest goes first now and then, as in the queue. */
const SERVING = { agedAfterMs: 30_000, agedShare: 4 };

interface Waiter extends Aging<Waiter>, SlotRequest {
  /** Where it stands: until that group has less. */
  at?: string | undefined;
}

/** Those who wait until one group of a bound has less. */
interface Standing {
  bound: number;
  group: string;
  line: Waitlist<Waiter>;
}

/**
 * Slots for what only so much of may go on at a time, in several respects at once: a key has room in all groups that it counts
 * in, or takes nothing of any. Whoever finds none waits, and is called in turn (sharing.ts) when there is one: until it is taken, or
 * a while has passed, it is kept. Nobody waits behind one who lacks room where he has some.
 */
export class Slots {
  readonly #o: SlotsOptions;
  readonly #sharing: Sharing;
  /** How many each group has, by bound; those are counted that were called. */
  readonly #taken: Array<Map<string, number>>;
  #all = 0;
  readonly #waiting = new Map<string, Waiter>();
  readonly #called = new Map<string, { waiter: Waiter; stop: () => void }>();
  /** Groups that are full and waited for; the one that was served last is the last. */
  readonly #full = new Map<string, Standing>();
  #order = 0;

  constructor(options: SlotsOptions) {
    this.#o = options;
    this.#sharing = options.sharing ?? allAlike;
    this.#taken = options.bounds.map(() => new Map());
  }

  /** Whether this key may take a slot now. */
  isFree({ key, groups }: SlotRequest): boolean {
    return this.#isKept(key, groups) || this.#lacking(groups) === undefined;
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
    if (this.#called.has(key)) this.#o.wake(key);
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

  #isKept(key: string, groups: readonly string[]): boolean {
    const kept = this.#called.get(key);
    return kept !== undefined && isSame(kept.waiter.groups, groups);
  }

  /** The first bound that has no room for one more. */
  #lacking(groups: readonly string[]): number | undefined {
    const at = groups.findIndex((group, bound) => this.#left(bound, group) <= 0);
    return at < 0 ? undefined : at;
  }

  #left(bound: number, group: string): number {
    const own = this.#taken[bound]?.get(group) ?? 0;
    return (this.#o.bounds[bound]?.(group, this.#all - own) ?? Infinity) - own;
  }

  #count(groups: readonly string[], change: 1 | -1): void {
    this.#all += change;
    for (const [bound, group] of groups.entries()) {
      const own = (this.#taken[bound]?.get(group) ?? 0) + change;
      if (own > 0) this.#taken[bound]?.set(group, own);
      else this.#taken[bound]?.delete(group);
    }
  }

  /** Calls all for whom there is a slot. Of each group that has room the next one comes, and those take turns. */
  #call(): void {
    for (let next = this.#comers(); next.size > 0; next = this.#comers())
      for (let one = this.#serve(next); one; one = this.#serve(next)) this.#seat(one);
  }

  #comers(): Waitlist<Waiter> {
    const comers = this.#newLine();
    for (const [name, { bound, group, line }] of this.#full) {
      const next = this.#left(bound, group) > 0 ? this.#serve(line) : undefined;
      if (next) comers.push(next);
      if (line.size === 0) this.#full.delete(name);
    }
    return comers;
  }

  /** Keeps a slot for the waiter, or has it wait until the group has less that lacks room. */
  #seat(waiter: Waiter): void {
    const bound = this.#lacking(waiter.groups);
    waiter.at = bound === undefined ? undefined : nameOf(bound, waiter.groups[bound]);
    if (bound === undefined) this.#keep(waiter);
    else this.#standingAt(bound, waiter).line.push(waiter);
  }

  #standingAt(bound: number, { at = '', groups }: Waiter): Standing {
    const known = this.#full.get(at) ?? { bound, group: groups[bound] ?? '', line: this.#newLine() };
    this.#full.set(at, known);
    return known;
  }

  #keep(waiter: Waiter): void {
    const { key, groups } = waiter;
    this.#waiting.delete(key);
    this.#count(groups, 1);
    for (const [bound, group] of groups.entries()) this.#toTheEnd(nameOf(bound, group));
    this.#called.set(key, { waiter, stop: this.#o.clock.after(KEPT_MS, () => this.leave(key)) });
    this.#o.wake(key);
  }

  #toTheEnd(name: string): void {
    const standing = this.#full.get(name);
    if (!standing) return;
    this.#full.delete(name);
    this.#full.set(name, standing);
  }

  /** The key neither waits nor is called; answers whether it was called, and another may be now. */
  #forget(key: string): boolean {
    const waiter = this.#waiting.get(key);
    this.#waiting.delete(key);
    const at = waiter?.at ?? '';
    if (waiter) this.#full.get(at)?.line.remove(waiter);
    if (this.#full.get(at)?.line.size === 0) this.#full.delete(at);
    const called = this.#called.get(key);
    this.#called.delete(key);
    called?.stop();
    if (called) this.#count(called.waiter.groups, -1);
    return called !== undefined;
  }

  #serve(line: Waitlist<Waiter>): Waiter | undefined {
    return line.serve(this.#o.clock.monotonic());
  }

  #newLine(): Waitlist<Waiter> {
    return new Waitlist({ ...SERVING, levelOf: this.#sharing.levelOf });
  }
}

const nameOf = (bound: number, group = ''): string => `${bound} ${group}`;

const isSame = (a: readonly string[], b: readonly string[]): boolean => a.every((group, at) => group === b[at]);
