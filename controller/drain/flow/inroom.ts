import type { PodFact, Room } from './view.ts';

type Kind = NonNullable<PodFact['flying']>;

/** Whether the pod was asked before, to no purpose: the API server did not answer, say, or it is there though it was deleted. */
export const isAgain = (kind: Kind, { answer, deleteAt }: Pick<PodFact, 'answer' | 'deleteAt'>): boolean =>
  kind === 'eviction' ? answer?.result === 'Failed' : deleteAt !== Number.NEGATIVE_INFINITY;

/**
 * Of those that are due as many as there is room for. Those that were asked to no purpose have room of their own, in the order in which they
 * are due: whatever holds them up holds up no other.
 */
export function inRoom(kind: Kind, due: readonly PodFact[], room: Room): PodFact[] {
  const again = due.filter((pod) => isAgain(kind, pod)).toSorted((a, b) => dueAt(kind, a) - dueAt(kind, b));
  const first = due.filter((pod) => !isAgain(kind, pod));
  return [...first.slice(0, room.first), ...again.slice(0, room.again)];
}

/** A pod whose volumes could not be looked up was not asked itself. */
const dueAt = (kind: Kind, { retryAt, deleteAt }: PodFact): number =>
  Math.max(0, kind === 'eviction' ? retryAt : deleteAt);
