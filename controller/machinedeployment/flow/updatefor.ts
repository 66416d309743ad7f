import { ANNOTATION_UPDATE_FOR, LABEL_SELECTED, LABEL_UPDATE_RESULT } from '../../../schemas/keys.ts';
import type { NodeChange } from '../../nodes/change.ts';
import { inPlaceReason } from '../../nodes/inplace.ts';
import type { Node } from '../../runtime/k8s/core.ts';
import type { SetFact } from './view.ts';

/**
 * For which set a Node is updated in place. An agent is told no template: what it did before the present one was there, or
 * before that came back, does not make a machine the present one's (hack/decisions/0051 U19).
 */
const setOf = ({ metadata }: Node): string | undefined => metadata.annotations?.[ANNOTATION_UPDATE_FOR];

/** The note that an update is for this set. */
export const updateFor = ({ set }: SetFact): NodeChange => ({
  annotations: { [ANNOTATION_UPDATE_FOR]: set.metadata.uid ?? '' },
});

/** The agent has said that it is done, and that is recorded. */
export const isUpdated = (node: Node): boolean =>
  node.metadata.labels?.[LABEL_UPDATE_RESULT] === 'successful' && inPlaceReason(node) === 'UpdateSuccessful';

/** Whether the Node's update counts for the set. Of one that MCM began, nothing is noted: it counts, as there. */
export const isForSet = (node: Node, { set }: SetFact): boolean =>
  setOf(node) === undefined || setOf(node) === set.metadata.uid;

/** It is noted that the Node's update is for this set. */
export const isNotedFor = (node: Node, { set }: SetFact): boolean => setOf(node) === set.metadata.uid;

/** The Node stays selected and empty, and is updated once more. */
export const updatedAgain = (to: SetFact): NodeChange => ({
  labels: { [LABEL_UPDATE_RESULT]: null },
  ...updateFor(to),
});

/** What becomes of an update of an old machine: as long as no agent was told to begin it is for the newest set. */
export function destined(node: Node, to: SetFact): NodeChange {
  const { labels = {} } = node.metadata;
  if (labels[LABEL_SELECTED] === undefined || isNotedFor(node, to)) return {};
  if (isUpdated(node)) return isForSet(node, to) ? {} : updatedAgain(to);
  const isBegun = labels[LABEL_UPDATE_RESULT] !== undefined || BEGUN.has(inPlaceReason(node) ?? '');
  return isBegun ? {} : updateFor(to);
}

const BEGUN: ReadonlySet<string> = new Set(['ReadyForUpdate', 'UpdateFailed']);
