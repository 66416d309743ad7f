import type { DriverError } from '../../drivers/sdk/errors.ts';
import type { CallFailure } from '../flow/view.ts';
import type { CallAnswer } from './callmemory.ts';

/** How long a failure that only repeats itself keeps its words, milliseconds (MCM 6.4, "similar" status). */
const KEEPS_MS = 1_800_000;

/** A failure with the moment at which its words were first told. */
export type Told = CallFailure & { toldAt: number };

/**
 * The failure in the words of the last one where it says the same: clouds put an id of their own into each message, and
 * nothing is worth a write that differs in such an id only.
 */
export function retold(before: Told | undefined, failure: CallFailure, now: number): Told {
  const repeats =
    before !== undefined &&
    before.method === failure.method &&
    before.code === failure.code &&
    now - before.toldAt < KEEPS_MS &&
    isSameNews(before.message, failure.message);
  return repeats ? { ...failure, message: before.message, toldAt: before.toldAt } : { ...failure, toldAt: now };
}

/** Equal but for words with a digit in them: ids, times, counts. */
export const isSameNews = (before: string, after: string): boolean => withoutIds(before) === withoutIds(after);

const withoutIds = (text: string): string => text.replace(/[\w-]+/g, (word) => (/\d/.test(word) ? '#' : word));

/** What a call left behind: its answer or its error. */
export interface Outcome {
  method: CallFailure['method'];
  answer?: CallAnswer;
  error?: DriverError;
  permanent?: boolean;
}

/**
 * The driver's memo after a call (MCM 6.4a, 6.7 S4): what the call tells; else a deletion and a creation that a person
 * must mend clear it, and anything else leaves it. An empty text is a cleared memo, undefined one that was never touched.
 */
export function memoAfter(
  before: string | undefined,
  { method, answer, error, permanent }: Outcome,
): string | undefined {
  const told = answer?.lastKnownState ?? error?.known.lastKnownState;
  if (told) return told;
  const clears = method === 'deleteMachine' || (method === 'createMachine' && error !== undefined && permanent);
  return clears ? '' : before;
}
