/** How often the same may be done in a row before it counts as done in vain. */
const FREE = 5;
/** What is done again after so long is done anew, milliseconds; longer than any pause between two tries. */
const RECENT_MS = 900_000;
/** The first and the longest pause before what is done in vain, milliseconds. */
const PAUSE_MS = { first: 1_000, most: 60_000 };

/** Arrays are told apart by their length and as many of their items. */
const ITEMS = 20;

interface Done {
  content: number | bigint;
  /** On the monotonic clock. */
  at: number;
}

/** What was done last, and how often in a row. */
type Series = Done & { times: number };

/**
 * Counts what is done again and again with nothing else between: it does not come to what it is for, because what it writes is taken
 * back, at admission or afterwards, or not taken as it was meant. That is to keep nobody busy.
 */
export class Repeats {
  readonly #byOwner = new Map<string, Map<string, Series>>();

  /** Milliseconds until the action may be taken for this owner; one that may be taken now counts as taken. @param now on the monotonic clock */
  waitMs(owner: string, action: object, now: number): number {
    const done = { content: hashOf(action), at: now };
    const before = this.#lastOf(owner, ANY, done);
    const dueAt = before ? before.at + pauseMs(before.times) : now;
    if (dueAt <= now) this.#count(owner, ANY, done);
    return Math.max(0, dueAt - now);
  }

  /** Counts a write of a step's, which was answered with yes; answers whether it was made so often that it counts as not kept. */
  isTakenBack(owner: string, { write, content }: { write: string; content: object }, now: number): boolean {
    return this.#count(owner, write, { content: hashOf(content), at: now }) > FREE;
  }

  /** The owner is gone, or there was nothing to do for it: whatever is done next is done anew. */
  end(owner: string): void {
    this.#byOwner.delete(owner);
  }

  #lastOf(owner: string, what: string, { content, at }: Done): Series | undefined {
    const last = this.#byOwner.get(owner)?.get(what);
    return last?.content === content && at - last.at <= RECENT_MS ? last : undefined;
  }

  #count(owner: string, what: string, done: Done): number {
    const times = (this.#lastOf(owner, what, done)?.times ?? 0) + 1;
    const known = this.#byOwner.get(owner) ?? new Map<string, Series>();
    this.#byOwner.set(owner, known.set(what, { ...done, times }));
    return times;
  }
}

/** Of whom one action is taken at a time, whatever it is. */
const ANY = '';

const pauseMs = (times: number): number =>
  times < FREE ? 0 : Math.min(PAUSE_MS.first * 2 ** (times - FREE), PAUSE_MS.most);

/** What is to be done to which objects, whatever their version is, and whatever times are in it. */
const hashOf = (content: object): number | bigint => Bun.hash(JSON.stringify(content, bounded).replaceAll(TIMES, ''));

function bounded(_key: string, value: unknown): unknown {
  if (Array.isArray(value)) return [value.length, ...value.slice(0, ITEMS)];
  return isObject(value) ? value.metadata.name : value;
}

const TIMES = /\d{4}-\d\d-\d\dT[\d:.]+Z/g;

const isObject = (value: unknown): value is { metadata: { name: string } } =>
  typeof (value as { metadata?: { name?: unknown } } | null)?.metadata?.name === 'string';
