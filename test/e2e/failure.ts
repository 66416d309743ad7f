/** What a piece of work throws; undefined when it throws nothing. */
export async function failureOf(work: () => Promise<void>): Promise<unknown> {
  try {
    await work();
    return undefined;
  } catch (error) {
    return error ?? new Error('something was thrown that is nothing');
  }
}
