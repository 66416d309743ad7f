/**
 * Runs `task` for every item in batches of 1, 2, 4, 8 …, each batch at once, so that what fails for all fails few times
 * (kubernetes pkg/controller, slowStartBatch). The first batch with a failure is the last; its first error is thrown
 * after all of that batch has ended.
 */
export async function slowStart<T>(items: readonly T[], task: (item: T) => Promise<void>): Promise<void> {
  let rest = items;
  for (let size = 1; rest.length > 0; size *= 2) {
    const results = await Promise.allSettled(rest.slice(0, size).map(task));
    const failed = results.find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
    rest = rest.slice(size);
  }
}

/** An item, and what became of it. */
export interface Failure<T> {
  item: T;
  error: unknown;
}

/** How many items are tried at a time. */
const AT_ONCE = 16;

/** Runs `task` for every item, whatever becomes of the others, some of them at a time. Answers those that failed, in their order. */
export async function tryAll<T>(items: readonly T[], task: (item: T) => Promise<void>): Promise<Array<Failure<T>>> {
  const failures: Array<Failure<T>> = [];
  for (let from = 0; from < items.length; from += AT_ONCE) {
    const some = items.slice(from, from + AT_ONCE);
    const results = await Promise.allSettled(some.map(task));
    for (const [index, item] of some.entries()) {
      const result = results[index];
      if (result?.status === 'rejected') failures.push({ item, error: result.reason });
    }
  }
  return failures;
}
