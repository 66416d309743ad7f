/** Takes turns among more than a sweep may look at: each begins behind whoever was last. Of each list one name is remembered. */
export class Turns {
  readonly #last = new Map<string, string>();

  /** As many as may be looked at now; who is not reached has his turn the next time. From the beginning if the last one is there no more. */
  *of<T>(
    list: string,
    all: readonly T[],
    { most, nameOf }: { most: number; nameOf: (one: T) => string },
  ): Generator<T> {
    const last = this.#last.get(list);
    const from = last === undefined ? 0 : all.findIndex((one) => nameOf(one) === last) + 1;
    for (const one of [...all.slice(from), ...all.slice(0, from)].slice(0, most)) {
      this.#last.set(list, nameOf(one));
      yield one;
    }
  }

  /** Drops what is remembered of a list. */
  forget(list: string): void {
    this.#last.delete(list);
  }
}
