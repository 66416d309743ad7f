import { ANNOTATION_TRIGGER_DELETION } from '../../../schemas/keys.ts';
import { act, pass } from '../../flow/flow.ts';
import type { Answer } from './drivercall.ts';
import type { MachineView } from './view.ts';

/** Nobody asks by an annotation of the Node that its Machine goes now; its set makes another (decisions 3). */
export function wanted({ node }: MachineView): Answer {
  const asked = node.at === 'present' && node.object.metadata.annotations?.[ANNOTATION_TRIGGER_DELETION] === 'true';
  return asked ? act('DeleteMachine', { do: 'deleteMachine' }) : pass;
}
