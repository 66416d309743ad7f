/** What stands in a heap; each thing in one heap at a time. The field is the heap's. */
export interface Heaped {
  slot?: number | undefined;
}

/** A binary heap that also removes from the middle: each of push, pop and remove takes O(log n). */
export class Heap<T extends Heaped> {
  readonly #before: (a: T, b: T) => boolean;
  readonly #items: T[] = [];

  /** @param before says which of two different items comes out first; it must not change while both are inside */
  constructor(before: (a: T, b: T) => boolean) {
    this.#before = before;
  }

  get size(): number {
    return this.#items.length;
  }

  /** The item that comes out next. */
  peek(): T | undefined {
    return this.#items[0];
  }

  /** Every item, in no particular order. */
  values(): Iterable<T> {
    return this.#items;
  }

  /** Takes an item in; it must be in no heap. */
  push(item: T): void {
    this.#rise(item, this.#items.length);
  }

  /** Takes the first item out. */
  pop(): T | undefined {
    const first = this.#items[0];
    if (first) this.remove(first);
    return first;
  }

  /** Takes this item out; answers whether it was inside. */
  remove(item: T): boolean {
    const { slot } = item;
    if (slot === undefined || this.#items[slot] !== item) return false;
    const last = this.#items.pop();
    item.slot = undefined;
    if (last && last !== item && !this.#sink(last, slot)) this.#rise(last, slot);
    return true;
  }

  #put(item: T, slot: number): void {
    this.#items[slot] = item;
    item.slot = slot;
  }

  #rise(item: T, from: number): void {
    let slot = from;
    while (slot > 0) {
      const above = (slot - 1) >> 1;
      const parent = this.#items[above];
      if (!parent || !this.#before(item, parent)) break;
      this.#put(parent, slot);
      slot = above;
    }
    this.#put(item, slot);
  }

  /** Answers whether the item went down at all. */
  #sink(item: T, from: number): boolean {
    let slot = from;
    for (let child = this.#firstChild(slot); child !== undefined; child = this.#firstChild(slot)) {
      const below = this.#items[child];
      if (!below || !this.#before(below, item)) break;
      this.#put(below, slot);
      slot = child;
    }
    this.#put(item, slot);
    return slot > from;
  }

  /** The slot of the earlier of two children. */
  #firstChild(slot: number): number | undefined {
    const left = 2 * slot + 1;
    const [a, b] = [this.#items[left], this.#items[left + 1]];
    if (!a) return undefined;
    return b && this.#before(b, a) ? left + 1 : left;
  }
}
