import { ANNOTATION_SCALE_DOWN_DISABLED, ANNOTATION_SCALE_DOWN_DISABLED_BY_MCM } from '../../schemas/keys.ts';
import type { Node } from '../runtime/k8s/core.ts';
import type { NodeChange } from './change.ts';

const SHIELD = { [ANNOTATION_SCALE_DOWN_DISABLED]: 'true', [ANNOTATION_SCALE_DOWN_DISABLED_BY_MCM]: 'true' };

/** What keeps an autoscaler from the Node. Nobody's own wish that it stays is taken for ours: it would be taken off in the end. */
export const shielding = ({ metadata }: Node): Pick<NodeChange, 'annotations'> =>
  metadata.annotations?.[ANNOTATION_SCALE_DOWN_DISABLED] === 'true' ? {} : { annotations: SHIELD };
