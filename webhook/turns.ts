/** Those who wait, in groups within groups: turns go round the groups of each level, whatever the number that waits in one. */
export class Turns<T> {
  readonly #groups = new Map<string, Turns<T>>();
  readonly #waiting = new Set<T>();

  /** True when nobody waits. */
  get isEmpty(): boolean {
    return this.#groups.size === 0 && this.#waiting.size === 0;
  }

  /** Puts somebody at the end of a group, given from the outermost on. */
  add(path: readonly string[], one: T): void {
    const [first, ...rest] = path;
    if (first === undefined) {
      this.#waiting.add(one);
      return;
    }
    const group = this.#groups.get(first) ?? new Turns<T>();
    this.#groups.set(first, group);
    group.add(rest, one);
  }

  /** Takes out whose turn it is, and lets the other groups come first next time; undefined when nobody waits. */
  next(): T | undefined {
    for (const [key, group] of this.#groups) {
      this.#groups.delete(key);
      const one = group.next();
      if (!group.isEmpty) this.#groups.set(key, group);
      if (one !== undefined) return one;
    }
    const [one] = this.#waiting;
    if (one !== undefined) this.#waiting.delete(one);
    return one;
  }

  /** Takes somebody out who waits no longer. */
  remove(path: readonly string[], one: T): void {
    const [first, ...rest] = path;
    if (first === undefined) {
      this.#waiting.delete(one);
      return;
    }
    const group = this.#groups.get(first);
    group?.remove(rest, one);
    if (group?.isEmpty) this.#groups.delete(first);
  }
}
