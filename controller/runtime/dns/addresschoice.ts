/**
 * Which of the addresses of a name is called: the one that answered last. Once that fails it is the one that never failed, or else that
 * failed longest ago, in the order of the addresses. Failures of others change nothing, so that calls that were made
 * side by side to a dead address lead on to the next one together.
 */
export class AddressChoice {
  readonly #failed = new Map<string, number>();
  #failures = 0;
  #preferred: string | undefined;

  /** The one to call of those that the name has now; undefined of none. */
  of(addresses: readonly string[]): string | undefined {
    for (const gone of [...this.#failed.keys()].filter((one) => !addresses.includes(one))) this.#failed.delete(gone);
    if (this.#preferred === undefined || !addresses.includes(this.#preferred))
      this.#preferred = addresses.toSorted((one, other) => this.#failedAt(one) - this.#failedAt(other))[0];
    return this.#preferred;
  }

  /** Somebody there has answered. */
  answered(address: string): void {
    this.#failed.delete(address);
    this.#preferred = address;
  }

  /** No connection was made to it, or no answer came. */
  failed(address: string): void {
    this.#failures += 1;
    this.#failed.set(address, this.#failures);
    if (this.#preferred === address) this.#preferred = undefined;
  }

  #failedAt(address: string): number {
    return this.#failed.get(address) ?? 0;
  }
}
