import type { Room } from '../model/targetfacts.ts';
import { halfOfTheRest } from '../runtime/fairness/bounds.ts';
import { mostTargets } from './openrequests.ts';

/** How many targets the process follows already. */
export interface Followed {
  /** Of the namespace that asks for one more. */
  own: number;
  /** Of others, the default target among them. */
  others: number;
}

/**
 * Whether one more target may be opened. Where the controller looks after all namespaces, each has at most half of the room that
 * the others leave (hack/decisions/0045). @param limit value of BUN_CONFIG_MAX_HTTP_REQUESTS, if it is set
 */
export function roomFor(
  { own, others }: Followed,
  { limit, namespace }: { limit: string | undefined; namespace: string },
): Room {
  const most = mostTargets(limit);
  if (own + others >= most) return 'full';
  return namespace === '' && own >= halfOfTheRest(most, others) ? 'shared' : 'free';
}
