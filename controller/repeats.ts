/** How often an action is repeated unchanged before that is slowed down, and the first and longest pause, milliseconds. */
const FREE = 5;
const PAUSE_MS = { first: 1_000, most: 60_000 };

/** Arrays of an action are told apart by as many of their items. */
const ITEMS = 20;

interface Series {
  text: string;
  times: number;
  /** On the monotonic clock. */
  notBefore: number;
}

/**
 * Slows down an action that is taken again and again with nothing else between: it does not come to what it is for, because
 * what it writes is taken back, or not taken as it was meant.
 */
export class Repeats {
  readonly #series = new Map<string, Series>();

  /** Milliseconds until the action may be taken for this key; one that may be taken now counts as taken. @param now on the monotonic clock */
  waitMs(key: string, action: object, now: number): number {
    const text = textOf(action);
    const before = this.#series.get(key);
    const series = before?.text === text ? before : { text, times: 0, notBefore: now };
    if (series.notBefore > now) return series.notBefore - now;
    const times = series.times + 1;
    const pauseMs = times < FREE ? 0 : Math.min(PAUSE_MS.first * 2 ** (times - FREE), PAUSE_MS.most);
    this.#series.set(key, { text, times, notBefore: now + pauseMs });
    return 0;
  }

  /** The series of the key is over: there was nothing to do. */
  end(key: string): void {
    this.#series.delete(key);
  }
}

/** What is to be done to which objects, whatever their version is. */
const textOf = (action: object): string =>
  JSON.stringify(action, (_key, value) => {
    if (Array.isArray(value)) return [value.length, ...value.slice(0, ITEMS)];
    return isObject(value) ? value.metadata.name : value;
  });

const isObject = (value: unknown): value is { metadata: { name: string } } =>
  typeof (value as { metadata?: { name?: unknown } } | null)?.metadata?.name === 'string';
