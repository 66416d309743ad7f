import type { Clock } from './clock.ts';
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
}

/** How long a place is kept for a key that was called, milliseconds: it may want it no longer. */
const KEPT_MS = 10_000;

/** Who waits for longest goes first now and then, as in the queue. */
const SERVING = { agedAfterMs: 30_000, agedShare: 4 };

interface Waiter extends Aging<Waiter> {
  key: string;
}

interface Room {
  taken: number;
  waiting: Map<string, Waiter>;
  line: Waitlist<Waiter>;
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
  readonly #rooms = new Map<string, Room>();
  /** The room in which a key waits or was called: no more than one. */
  readonly #roomOf = new Map<string, string>();
  #order = 0;

  constructor(options: PlacesOptions) {
    this.#o = options;
    this.#sharing = options.sharing ?? allAlike;
  }

  /** Whether this key may take a place now. */
  isFree(name: string, key: string): boolean {
    const room = this.#rooms.get(name);
    return !room || room.called.has(key) || this.#left(name, room) > 0;
  }

  /**
   * Takes a place; whether one is free is the caller's business. The answer gives it back, once. What was kept for the key
   * elsewhere goes to others.
   */
  take(name: string, key: string): () => void {
    const room = this.#room(name);
    room.taken++;
    this.leave(key);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      room.taken--;
      this.#call(name, room);
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
    this.#call(name, room);
  }

  #left(name: string, { taken, called }: Room): number {
    return Math.max(1, this.#o.most(name)) - taken - called.size;
  }

  /** Calls as many as there are places for. */
  #call(name: string, room: Room): void {
    while (room.line.size > 0 && this.#left(name, room) > 0) {
      const next = room.line.serve(this.#o.clock.monotonic());
      if (next) this.#keep(room, next.key);
    }
    const isEmpty = room.taken === 0 && room.line.size === 0 && room.called.size === 0;
    if (isEmpty) this.#rooms.delete(name);
  }

  #keep(room: Room, key: string): void {
    room.waiting.delete(key);
    const over = () => this.leave(key);
    room.called.set(key, this.#o.clock.after(KEPT_MS, over));
    this.#o.wake(key);
  }

  #room(name: string): Room {
    const known = this.#rooms.get(name);
    if (known) return known;
    const line = new Waitlist<Waiter>({ ...SERVING, levelOf: this.#sharing.levelOf });
    const fresh: Room = { taken: 0, waiting: new Map(), line, called: new Map() };
    this.#rooms.set(name, fresh);
    return fresh;
  }

  /** The key neither waits nor is called. */
  #forget(key: string): void {
    const room = this.#rooms.get(this.#roomOf.get(key) ?? '');
    this.#roomOf.delete(key);
    const waiter = room?.waiting.get(key);
    if (waiter) room?.line.remove(waiter);
    room?.waiting.delete(key);
    room?.called.get(key)?.();
    room?.called.delete(key);
  }
}
