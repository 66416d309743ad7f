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
