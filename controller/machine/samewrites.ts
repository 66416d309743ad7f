/** How often the same is written before that is taken for a write that is not kept. */
const FREE = 5;
/** What is written again after so long is written anew, milliseconds; longer than any pause between two tries. */
const RECENT_MS = 900_000;

/** What was written last by a step. */
interface Series {
  content: number | bigint;
  times: number;
  /** When it was written last, on the monotonic clock. */
  at: number;
}

/**
 * Counts writes of a Machine's steps that say the same as the one before: each was answered with yes, and was due again. Whoever
 * takes them back, at admission or afterwards, is not to keep anybody busy.
 */
export class SameWrites {
  readonly #byMachine = new Map<string, Map<string, Series>>();

  /**
   * Notes a write; answers whether it was made so often that it counts as not kept. Times in it do not count.
   * @param now on the monotonic clock
   */
  isTakenBack(uid: string, { write, content }: { write: string; content: object }, now: number): boolean {
    const known = this.#byMachine.get(uid) ?? new Map<string, Series>();
    this.#byMachine.set(uid, known);
    const before = known.get(write);
    const is = Bun.hash(JSON.stringify(content).replaceAll(TIMES, ''));
    const isSame = before?.content === is && now - before.at <= RECENT_MS;
    const times = isSame ? before.times + 1 : 1;
    known.set(write, { content: is, times, at: now });
    return times > FREE;
  }

  /** The Machine is gone. */
  forget(uid: string): void {
    this.#byMachine.delete(uid);
  }
}

const TIMES = /\d{4}-\d\d-\d\dT[\d:.]+Z/g;
