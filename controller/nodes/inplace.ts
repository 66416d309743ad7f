import { LABEL_CANDIDATE, LABEL_UPDATE_RESULT } from '../../schemas/keys.ts';
import type { Node } from '../runtime/k8s/core.ts';
import { conditionOf } from './change.ts';

/** The type of a Node's condition that tells how its update in place stands (MCM 2.5). */
export const IN_PLACE_CONDITION = 'InPlaceUpdate';

/** How far an update in place is: the condition's reason, in this order. */
export type InPlaceReason = (typeof REASONS)[number];

const REASONS = [
  'CandidateForUpdate',
  'SelectedForUpdate',
  'DrainSuccessful',
  'ReadyForUpdate',
  'UpdateSuccessful',
  'UpdateFailed',
] as const;

/** What the Node says of its update; undefined when there is none. */
export function inPlaceReason(node: Node): InPlaceReason | undefined {
  const reason = conditionOf(node, IN_PLACE_CONDITION)?.reason;
  return REASONS.find((known) => known === reason);
}

/** The Node is to be updated, or its update is not over yet: by its labels, which go last, or by how far it is. */
export function isInUpdate(node: Node): boolean {
  const { labels = {} } = node.metadata;
  const reason = inPlaceReason(node);
  const isAsked = labels[LABEL_CANDIDATE] !== undefined || labels[LABEL_UPDATE_RESULT] !== undefined;
  return isAsked || (reason !== undefined && UNFINISHED.has(reason));
}

const UNFINISHED: ReadonlySet<InPlaceReason> = new Set([
  'SelectedForUpdate',
  'DrainSuccessful',
  'ReadyForUpdate',
  'UpdateFailed',
]);
