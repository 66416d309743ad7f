import type { Random } from '../../controller/runtime/random.ts';

/** Random draws with names that say what is drawn. */
export class Chance {
  readonly random: Random;

  constructor(random: Random) {
    this.random = random;
  }

  /** True with this probability. */
  happens(rate: number): boolean {
    return rate > 0 && this.random.next() < rate;
  }

  /** A number in [from, to). */
  between(from: number, to: number): number {
    return from + this.random.next() * (to - from);
  }

  /** A whole number in [from, to]. */
  whole(from: number, to: number): number {
    return Math.floor(this.between(from, to + 1));
  }

  /** One of them, each as likely; throws a RangeError when there are none. */
  oneOf<T>(items: readonly T[]): T {
    const chosen = items[this.whole(0, items.length - 1)];
    if (chosen === undefined) throw new RangeError('nothing to choose from');
    return chosen;
  }

  /** One of the keys, as likely as its weight says. */
  weighted<K extends string>(weights: Readonly<Record<K, number>>): K {
    const entries = Object.entries(weights) as Array<[K, number]>;
    let left = this.random.next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [key, weight] of entries) {
      left -= weight;
      if (left < 0) return key;
    }
    return entries[0]?.[0] as K;
  }
}
