/**
 * A promise that nobody has to await: whoever does is told that it failed, and where all have failed themselves meanwhile it is no mistake
 * of ours, which would end the program (hack/decisions/0032).
 */
export function droppable<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}
