import { act, pass, wait } from '../../flow/flow.ts';
import type { DrainOutcome, DrainView } from './view.ts';

/** How often one looks that waits for a list, or for pods that only the list shows. */
const LOOK_MS = 5_000;
/** A list that has failed for so long is waited for no more: what serves none would stop all deletions for ever. */
export const UNLISTED_MS = 150_000;

/** How the list of the API server stands behind a Node of which the cache shows no pod to wait for. */
export type Confirmation =
  /** There is no other pod. */
  | { at: 'confirmed' }
  /** Nobody could list them for long: the cache alone counts. */
  | { at: 'unlisted'; message: string }
  /** It is asked for, or has to be. */
  | { at: 'asking'; outcome: DrainOutcome }
  /** There are pods that the cache does not show. */
  | { at: 'unseen'; outcome: DrainOutcome };

/** What the API server's own list says, before a drain ends in good time. */
export function confirmationOf({ listed, now, deadline }: Confirming): Confirmation {
  const { due, unseen, since = now, why } = listed;
  const left = unseen ? Infinity : since + UNLISTED_MS - now;
  if (unseen?.count === 0) return { at: 'confirmed' };
  if (left <= 0) return { at: 'unlisted', message: unlisted(why) };
  const asking = due && act('GetPods', { do: 'lookUpPods' } as const);
  const ms = Math.min(LOOK_MS, left, deadline - now);
  if (unseen) return { at: 'unseen', outcome: asking || wait('PodCacheStale', ms, unseenIn(unseen)) };
  return {
    at: 'asking',
    outcome: asking || wait('GetPods', ms, why && `the pods of the Node cannot be listed: ${why}`),
  };
}

type Confirming = Pick<DrainView, 'listed' | 'now' | 'deadline'>;

/** Ends the drain once the list says so, or has failed for long. */
export function confirmed(view: Confirming): DrainOutcome {
  const found = confirmationOf(view);
  return 'outcome' in found ? found.outcome : pass;
}

const unlisted = (why = 'there is no answer'): string =>
  `by what the watch of pods has shown alone: for ${UNLISTED_MS / 1_000} s the API server of the target cluster has not listed the pods of the Node: ${why}`;

const unseenIn = ({ count, some }: { count: number; some: readonly string[] }): string =>
  `the API server of the target cluster lists ${count} pods of the Node that its watch has not shown yet, such as ${some.join(', ')}`;
