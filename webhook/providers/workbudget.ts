/** A document took more work than it may. */
export class TooMuchWork extends Error {
  override name = 'TooMuchWork';
}

/**
 * Steps that judging one document may take, each of at most some 500 ns: whatever the schema and the document, it ends
 * within 50 ms. Time itself is not measured, so that a busy machine refuses nothing that an idle one takes.
 */
export const MOST_STEPS = 30_000;

/** Counts steps; throws TooMuchWork as soon as there are too many. */
export class Effort {
  #spent = 0;

  get spent(): number {
    return this.#spent;
  }

  /** Starts over, for another document. */
  begin(): void {
    this.#spent = 0;
  }

  spend(steps: number): void {
    this.#spent += steps;
    if (this.#spent > MOST_STEPS) throw new TooMuchWork(`more than ${MOST_STEPS} steps`);
  }
}
