import { type MachineDeployment, MOST_DELETE_MACHINES } from '../../schemas/machinedeployment.ts';
import { NAME_ROOM } from '../../schemas/rules/names.ts';
import { type Rule, when } from '../admission/rule.ts';

/** As many as the schema allows, each as long as that of a Machine may be. */
const MOST_CHARACTERS = MOST_DELETE_MACHINES * NAME_ROOM.label;

/** The controller carries the list in an annotation until the machines have gone. */
export const deleteMachinesFit: Rule<MachineDeployment> = {
  id: 'delete-machines-fit',
  on: ['create', 'update'],
  field: 'spec.deleteMachines',
  says: `must have names of at most ${MOST_CHARACTERS} characters together, because an annotation carries them: name some of them, and the others once these have gone`,
  broken: ({ spec }) =>
    when((spec?.deleteMachines ?? []).reduce((sum, name) => sum + name.length, 0) > MOST_CHARACTERS),
};
