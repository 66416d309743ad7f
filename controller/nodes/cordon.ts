import { ANNOTATION_CORDONED } from '../../schemas/keys.ts';
import type { Node } from '../runtime/k8s/core.ts';
import type { NodeChange } from './change.ts';

/**
 * Whose the cordon of a Node is, noted on the Node with it (hack/decisions/0028 O14, O17): one that somebody else had put on
 * is not ours to take off. MCM notes none: that of a Node which it had selected for an update in place counts as its own.
 */
const OURS = 'true';
const OTHERS = 'by-others';

/** The Node takes no more pods; the cordon is noted as ours unless there is one. Good for the Node as it was seen only (nodechange.ts). */
export const cordoned = ({ spec }: Node): NodeChange =>
  spec?.unschedulable ? {} : { unschedulable: true, annotations: { [ANNOTATION_CORDONED]: OURS } };

/** The same for a Node whose cordon is to be taken off again once it is updated: that of somebody else is noted, too. */
export const cordonedForNow = (node: Node): NodeChange =>
  node.spec?.unschedulable && noteOf(node) === undefined
    ? { annotations: { [ANNOTATION_CORDONED]: OTHERS } }
    : cordoned(node);

/** The Node takes pods again, unless it is noted that somebody else had cordoned it; the note goes. */
export const uncordoned = (node: Node): NodeChange => ({
  ...(noteOf(node) !== OTHERS && { unschedulable: false }),
  annotations: { [ANNOTATION_CORDONED]: null },
});

/** Something is noted of the Node's cordon. */
export const isCordonNoted = (node: Node): boolean => noteOf(node) !== undefined;

const noteOf = ({ metadata }: Node): string | undefined => metadata.annotations?.[ANNOTATION_CORDONED];
