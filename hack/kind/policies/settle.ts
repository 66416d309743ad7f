/** What `settler` keeps in agreement. */
export interface Settling {
  /** What should be, at the moment of the call. */
  wanted(): string;
  /** Makes it so. */
  set(wanted: string): Promise<void>;
}

/**
 * A function that makes what is what should be, one time after the other, and does nothing when it is already. It resolves
 * when all is as it should have been at the call; many calls during one time are one more time. What `set` throws is thrown
 * to those who wait for it, and tried again at the next call.
 */
export function settler({ wanted, set }: Settling): () => Promise<void> {
  let is: string | undefined;
  let running = Promise.resolve();
  let isNext = false;
  const once = async () => {
    isNext = false;
    const should = wanted();
    if (should === is) return;
    is = undefined;
    await set(should);
    is = should;
  };
  return () => {
    if (!isNext) running = running.catch(() => undefined).then(once);
    isNext = true;
    return running;
  };
}
