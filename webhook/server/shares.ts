/**
 * Something scarce that nobody can use up alone: whoever holds some leaves at least as much free as they hold. One holder has
 * half of it at most, two have a third each, and whoever comes next still finds some (the dynamic thresholds by which
 * switches share their buffers: Choudhury and Hahne, 1998).
 */
export class Shares {
  readonly #total: number;
  readonly #held = new Map<string, number>();
  #sum = 0;

  /** @param total in any unit. */
  constructor(total: number) {
    this.#total = total;
  }

  /**
   * Takes some for a holder, unless that would leave less free than the holder then has: false takes nothing.
   * @param part of what the holder might have, from 0 to 1: less keeps some for the other wishes of the same holder
   */
  take(who: string, amount: number, part = 1): boolean {
    const held = (this.#held.get(who) ?? 0) + amount;
    const others = this.#sum + amount - held;
    if (2 * held > part * (this.#total - others)) return false;
    this.#held.set(who, held);
    this.#sum += amount;
    return true;
  }

  /** Gives back what was taken. */
  give(who: string, amount: number): void {
    const left = (this.#held.get(who) ?? 0) - amount;
    if (left > 0) this.#held.set(who, left);
    else this.#held.delete(who);
    this.#sum -= amount;
  }
}
