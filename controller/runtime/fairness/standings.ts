import type { Groups, Taken } from './bounds.ts';
import { type Aging, type Serving, Waitlist } from './waitlist.ts';

/** Who waits for a slot, and in which group it will count for each bound. */
export interface Waiter extends Aging<Waiter> {
  key: string;
  groups: Groups;
  /** Where it stands, or stood last. */
  at?: WaitingLine | undefined;
}

/** Those who wait until a group of a bound has room, or any that has nothing in the group around. */
interface WaitingLine {
  name: string;
  /** The widest group of those who stand here. */
  room: string;
  bound: number;
  groups: Groups;
  /** How many a group has to which they belong; absent, it is counted. */
  own?: 0;
  line: Waitlist<Waiter>;
}

/**
 * Those who wait, each where it lacks room: by its group, or, while that has nothing, in one line with all others of the
 * group around that have nothing. So as many groups are looked at as have something, and those around, however many wait.
 */
export class WaitingLines {
  readonly #taken: Taken;
  readonly #serving: Serving;
  readonly #now: () => number;
  /** By widest group; the one that was served last is the last, and so it is within each. */
  readonly #rooms = new Map<string, Map<string, WaitingLine>>();
  /** By name, groups that have nothing any more: one of each stands in the line of the group around. */
  readonly #asleep = new Map<string, WaitingLine>();

  /** @param now the moment on the clock of the waiters' `dueAt`, milliseconds */
  constructor(taken: Taken, { now, ...serving }: Serving & { now: () => number }) {
    this.#taken = taken;
    this.#serving = serving;
    this.#now = now;
  }

  /** The waiter waits until there is more of this bound. */
  push(waiter: Waiter, bound: number): void {
    const { groups } = waiter;
    const around = this.#taken.around(bound, groups);
    const isOfMany = around !== undefined;
    const name = isOfMany ? `${bound}<${around}` : nameOf(bound, groups);
    const room = groups.at(-1) ?? '';
    const known = this.#rooms.get(room)?.get(name);
    waiter.at = known ?? { name, room, bound, groups, ...(isOfMany && { own: 0 }), line: this.newLine() };
    if (!known) this.#keep(waiter.at);
    waiter.at.line.push(waiter);
  }

  /** The waiter waits no longer. */
  remove(waiter: Waiter): void {
    if (!waiter.at?.line.remove(waiter)) return;
    this.#dropIfEmpty(waiter.at);
    this.emptied(waiter.groups);
  }

  /** Takes out who comes next of each line that has room. */
  *comers(): Iterable<Waiter> {
    for (const waitingLine of [...this.#rooms.values()].flatMap((room) => [...room.values()])) {
      const { bound, groups, own, line } = waitingLine;
      const next = this.#taken.left(bound, groups, own) > 0 ? line.serve(this.#now()) : undefined;
      this.#dropIfEmpty(waitingLine);
      if (next) yield next;
    }
  }

  /** The waiter got what it stood for: others of its group come later. */
  served({ at }: Waiter): void {
    const room = at && this.#rooms.get(at.room);
    if (!room) return;
    toTheEnd(this.#rooms, at.room);
    toTheEnd(room, at.name);
  }

  /** Some of these groups may have nothing any more: who waits for one is sought in the group around. */
  emptied(groups: Groups): void {
    for (const bound of groups.keys())
      if (this.#taken.around(bound, groups) !== undefined) this.#sendOne(bound, groups);
  }

  /** All of these groups have something. */
  filled(groups: Groups): void {
    for (const bound of groups.keys()) {
      const waitingLine = this.#asleep.get(nameOf(bound, groups));
      if (!waitingLine) continue;
      this.#asleep.delete(waitingLine.name);
      this.#keep(waitingLine);
    }
  }

  /** An empty line, served as all of these are. */
  newLine(): Waitlist<Waiter> {
    return new Waitlist(this.#serving);
  }

  #sendOne(bound: number, groups: Groups): void {
    const name = nameOf(bound, groups);
    const room = groups.at(-1) ?? '';
    const waitingLine = this.#asleep.get(name) ?? this.#rooms.get(room)?.get(name);
    const next = waitingLine?.line.serve(this.#now());
    if (!waitingLine || !next) return;
    this.#drop(waitingLine);
    if (waitingLine.line.size > 0) this.#asleep.set(name, waitingLine);
    this.push(next, bound);
  }

  #keep(waitingLine: WaitingLine): void {
    const room = this.#rooms.get(waitingLine.room) ?? new Map<string, WaitingLine>();
    this.#rooms.set(waitingLine.room, room.set(waitingLine.name, waitingLine));
  }

  #dropIfEmpty(waitingLine: WaitingLine): void {
    if (waitingLine.line.size === 0) this.#drop(waitingLine);
  }

  #drop({ room, name }: WaitingLine): void {
    this.#asleep.delete(name);
    const standings = this.#rooms.get(room);
    standings?.delete(name);
    if (standings?.size === 0) this.#rooms.delete(room);
  }
}

const nameOf = (bound: number, groups: Groups): string => `${bound} ${groups[bound]}`;

function toTheEnd<T>(map: Map<string, T>, name: string): void {
  const value = map.get(name);
  if (value === undefined || !map.delete(name)) return;
  map.set(name, value);
}
