import type { Clock } from './clock.ts';
import { type Parties, PartyShare } from './partyshare.ts';
import type { Asker } from './sharing.ts';
import { type Aging, Waitlist } from './waitlist.ts';

/** How what is scarce is shared. */
export interface Sharing {
  /** How urgently, and on whose behalf, a key waits. */
  askerOf: (key: string) => Asker;
  /** Priorities that rank alike between parties. */
  levelOf: (priority: number) => number;
}

/** First come, first served. */
export const allAlike: Sharing = { askerOf: () => ({ priority: 0, flow: [] }), levelOf: (priority) => priority };

/** How places are given. */
export interface PlacesOptions {
  clock: Clock;
  /** How many places a room has, at least 1; asked anew each time. */
  most: (room: string) => number;
  /** Tells a key that it may take a place now. */
  wake: (key: string) => void;
  /** Among whom they are shared; all alike when absent. */
  sharing?: Sharing | undefined;
  /** Bounds what keys of one party have in all rooms together; absent when nothing does. */
  parties?: Parties | undefined;
}

/** How long a place is kept for a key that was called, milliseconds: it may want it no longer. */
const KEPT_MS = 10_000;

/** Who waits for longest goes first now and then, as in the queue. */
const SERVING = { agedAfterMs: 30_000, agedShare: 4 };

interface Waiter extends Aging<Waiter> {
  key: string;
  party: string;
}

interface Room {
  taken: number;
  waiting: Map<string, Waiter>;
  line: Waitlist<Waiter>;
  /** Those whose turn came while their party had all that it may have, by party: they stand aside until it has less. */
  aside: Map<string, Set<Waiter>>;
  /** Keys for which a place is kept, and what ends that. */
  called: Map<string, () => void>;
}

/**
 * Places in rooms, for keys that do something of which only so much may go on at a time. Whoever finds none waits, and is
 * called when his turn comes (sharing.ts): until he takes the place, or a while has passed, it is kept for him, so that who comes
 * later cannot take it first.
 */
export class Places {
  readonly #o: PlacesOptions;
  readonly #sharing: Sharing;
  readonly #parties: PartyShare | undefined;
  readonly #rooms = new Map<string, Room>();
  /** The room in which a key waits or was called: no more than one. */
  readonly #roomOf = new Map<string, string>();
  #order = 0;

  constructor(options: PlacesOptions) {
    this.#o = options;
    this.#sharing = options.sharing ?? allAlike;
    this.#parties = options.parties && new PartyShare(options.parties);
  }

  /** Whether this key may take a place now. */
  isFree(name: string, key: string): boolean {
    const room = this.#rooms.get(name);
    if (room?.called.has(key)) return true;
    return (!room || this.#left(name, room) > 0) && !this.#isBlocked(this.#partyOf(key));
  }

  /** Takes a place that is free; else undefined, and the key is called as soon as one is. */
  enter(name: string, key: string): (() => void) | undefined {
    if (this.isFree(name, key)) return this.take(name, key);
    this.await(name, key);
    return undefined;
  }

  /**
   * Takes a place; whether one is free is the caller's business. The answer gives it back, once. What was kept for the key
   * elsewhere goes to others.
   */
  take(name: string, key: string): () => void {
    const room = this.#room(name);
    const party = this.#partyOf(key);
    room.taken++;
    this.#parties?.add(party, 1);
    this.leave(key);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      room.taken--;
      this.#parties?.add(party, -1);
      this.#callFrom(name, room);
    };
  }

  /** Calls the key as soon as it may take a place, now if it may; it waits in no other room any more. */
  await(name: string, key: string): void {
    if (this.#roomOf.get(key) !== name) this.leave(key);
    const room = this.#room(name);
    if (room.called.has(key)) this.#o.wake(key);
    if (room.called.has(key) || room.waiting.has(key)) return;
    const waiter: Waiter = {
      key,
      party: this.#partyOf(key),
      ...this.#sharing.askerOf(key),
      dueAt: this.#o.clock.monotonic(),
      order: this.#order++,
    };
    this.#roomOf.set(key, name);
    room.waiting.set(key, waiter);
    room.line.push(waiter);
    this.#call(name, room);
  }

  /** The key wants no place any more, or is gone. */
  leave(key: string): void {
    const name = this.#roomOf.get(key);
    const room = name === undefined ? undefined : this.#rooms.get(name);
    if (name === undefined || !room) return;
    this.#forget(key);
    this.#callFrom(name, room);
  }

  #partyOf(key: string): string {
    return this.#parties?.of(key) ?? '';
  }

  /** Whether a party has all that it may have. */
  #isBlocked(party: string): boolean {
    return this.#parties !== undefined && this.#parties.left(party) <= 0;
  }

  #left(name: string, { taken, called }: Room): number {
    return Math.max(1, this.#o.most(name)) - taken - called.size;
  }

  /** A place is free again: in its room, and where parties are bounded what one gives back another may take in any. */
  #callFrom(name: string, room: Room): void {
    // A room goes to the end as it calls somebody, so that each comes first in its turn.
    const rooms: Array<[string, Room]> = this.#parties ? [...this.#rooms] : [[name, room]];
    for (const [other, found] of rooms) this.#call(other, found);
  }

  /** Calls as many as there are places for. */
  #call(name: string, room: Room): void {
    this.#comeBack(room);
    while (room.line.size > 0 && this.#left(name, room) > 0) {
      const next = room.line.serve(this.#o.clock.monotonic());
      if (next && this.#isBlocked(next.party)) asideIn(room, next.party).add(next);
      else if (next) this.#keep(name, room, next);
    }
    const isEmpty = room.taken === 0 && room.waiting.size === 0 && room.called.size === 0;
    if (isEmpty) this.#rooms.delete(name);
  }

  /** As many as their parties may have now stand in line again. */
  #comeBack({ aside, line }: Room): void {
    for (const [party, waiters] of aside) {
      let left = this.#parties?.left(party) ?? Infinity;
      for (const waiter of waiters) {
        if (left-- <= 0) break;
        waiters.delete(waiter);
        line.push(waiter);
      }
      if (waiters.size === 0) aside.delete(party);
    }
  }

  #keep(name: string, room: Room, { key, party }: Waiter): void {
    room.waiting.delete(key);
    this.#parties?.add(party, 1);
    const cancel = this.#o.clock.after(KEPT_MS, () => this.leave(key));
    const over = () => {
      cancel();
      this.#parties?.add(party, -1);
    };
    room.called.set(key, over);
    this.#rooms.delete(name);
    this.#rooms.set(name, room);
    this.#o.wake(key);
  }

  #room(name: string): Room {
    const known = this.#rooms.get(name);
    if (known) return known;
    const line = new Waitlist<Waiter>({ ...SERVING, levelOf: this.#sharing.levelOf });
    const fresh: Room = { taken: 0, waiting: new Map(), line, aside: new Map(), called: new Map() };
    this.#rooms.set(name, fresh);
    return fresh;
  }

  /** The key neither waits nor is called. */
  #forget(key: string): void {
    const room = this.#rooms.get(this.#roomOf.get(key) ?? '');
    this.#roomOf.delete(key);
    const waiter = room?.waiting.get(key);
    if (waiter && !room?.line.remove(waiter)) room?.aside.get(waiter.party)?.delete(waiter);
    room?.waiting.delete(key);
    room?.called.get(key)?.();
    room?.called.delete(key);
  }
}

function asideIn({ aside }: Room, party: string): Set<Waiter> {
  const known = aside.get(party) ?? new Set();
  aside.set(party, known);
  return known;
}
