import type { DriverMethod } from '../driver.ts';

/** Calls of one kind and class share their room. */
export interface SlotRef {
  method: DriverMethod;
  /** UID of the class, so that a class that is made again begins anew. */
  classKey: string;
}

/** How many calls of a method and class may be in flight at once; methods that are not named are not bounded. */
export type SlotLimits = Readonly<Partial<Record<DriverMethod, number>>>;

/** Counts the calls in flight by method and class, and wakes those who wait for room. */
export class Slots {
  readonly #taken = new Map<string, number>();
  readonly #waiting = new Map<string, Set<string>>();
  readonly #limits: SlotLimits;
  readonly #wake: (key: string) => void;

  constructor({ limits, wake }: { limits: SlotLimits; wake: (key: string) => void }) {
    this.#limits = limits;
    this.#wake = wake;
  }

  /** How many calls may still start. */
  free(slot: SlotRef): number {
    return (this.#limits[slot.method] ?? Infinity) - (this.#taken.get(nameOf(slot)) ?? 0);
  }

  /** A call begins; whether there was room is the caller's business. */
  take(slot: SlotRef): void {
    this.#taken.set(nameOf(slot), (this.#taken.get(nameOf(slot)) ?? 0) + 1);
  }

  /** A call has ended. Wakes as many as there is room for: one who was woken before may have wanted its slot no longer. */
  release(slot: SlotRef): void {
    const name = nameOf(slot);
    const left = (this.#taken.get(name) ?? 1) - 1;
    if (left > 0) this.#taken.set(name, left);
    else this.#taken.delete(name);
    const waiting = this.#waiting.get(name) ?? new Set();
    for (const key of [...waiting].slice(0, this.free(slot))) {
      waiting.delete(key);
      this.#wake(key);
    }
    if (waiting.size === 0) this.#waiting.delete(name);
  }

  /** Wakes the key as soon as there is room. */
  await(slot: SlotRef, key: string): void {
    const waiting = this.#waiting.get(nameOf(slot)) ?? new Set();
    if (this.free(slot) > 0) this.#wake(key);
    else this.#waiting.set(nameOf(slot), waiting.add(key));
  }
}

const nameOf = ({ method, classKey }: SlotRef): string => `${method} ${classKey}`;
