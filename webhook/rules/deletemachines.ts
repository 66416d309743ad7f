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
  message: `must have names of at most ${MOST_CHARACTERS} characters together, because an annotation carries them: name some of them, and the others once these have gone`,
  validate: ({ spec }) =>
    when((spec?.deleteMachines ?? []).reduce((sum, name) => sum + name.length, 0) > MOST_CHARACTERS),
};

/** Of names that no machine of the namespace has: a slip of the pen would have another machine go (hack/decisions/0051 U46). */
export const deleteMachinesThere: Rule<MachineDeployment> = {
  id: 'delete-machines-there',
  on: ['update'],
  field: 'spec.deleteMachines',
  level: 'warn',
  message:
    'should name machines of the deployment: others are passed over, and where replicas are lowered for them another machine goes in the place of each',
  validate({ spec }, _before, facts) {
    const strangers = new Set((spec?.deleteMachines ?? []).filter((name) => !facts.isMachine(name)));
    return strangers.size === 0 ? [] : [{ message: passedOver([...strangers]) }];
  },
};

/** So many names are repeated to who wrote them. */
const NAMED = 3;

function passedOver(names: readonly string[]): string {
  const more = names.length - NAMED;
  const said = `${names.slice(0, NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  return `names what is no machine of this namespace (${said}): it is passed over, and where replicas are lowered for it another machine goes`;
}
