import { ANNOTATION_SCALE_DOWN_DISABLED, ANNOTATION_SCALE_DOWN_DISABLED_BY_MCM } from '../../schemas/keys.ts';
import type { Node } from '../runtime/k8s/core.ts';
import type { NodeChange } from './change.ts';

const DISABLED = { [ANNOTATION_SCALE_DOWN_DISABLED]: 'true', [ANNOTATION_SCALE_DOWN_DISABLED_BY_MCM]: 'true' };

/** Keeps the cluster-autoscaler from scaling the Node down. Where somebody else asked for that already, nothing is marked as ours: it would be taken off in the end. */
export const scaleDownDisabled = ({ metadata }: Node): Pick<NodeChange, 'annotations'> =>
  metadata.annotations?.[ANNOTATION_SCALE_DOWN_DISABLED] === 'true' ? {} : { annotations: DISABLED };
