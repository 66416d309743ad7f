import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import { breaksMachineNames, isCutIn, NAME_ROOM } from '../../schemas/rules/names.ts';
import { makerOf } from '../admission/maker.ts';
import { type Rule, when } from '../admission/rule.ts';

const FIELD = 'metadata.name';

/** For Machines, whose Node carries the name as a label, and for deployments, whose machines do. */
export const nameShort: Rule<KubeObject> = {
  id: 'name-short',
  on: ['create'],
  field: FIELD,
  message: `must be at most ${NAME_ROOM.label} characters long, because a label carries it`,
  validate: ({ metadata }) => when((metadata.name ?? '').length > NAME_ROOM.label),
};

/** For what makes machines: their names begin with its own (hack/spec/mcm.md 5.4). */
export const machineNameRules = (kind: 'MachineSet' | 'MachineDeployment'): readonly Rule<KubeObject>[] => [
  {
    id: 'machine-names-valid',
    on: ['create'],
    field: FIELD,
    message:
      'is cut right behind a dot for the names of its machines, which would be no valid names; choose one that is shorter or has no dot',
    validate: ({ metadata }) => when(breaksMachineNames(kind, metadata.name ?? '')),
  },
  {
    id: 'machine-names-whole',
    on: ['create'],
    field: FIELD,
    level: 'warn',
    message: `is too long to stand whole in the names of its machines; keep that of a MachineSet to ${NAME_ROOM.MachineSet} characters, that of a MachineDeployment to ${NAME_ROOM.MachineDeployment}`,
    validate: (now, _before, facts) => when(!makerOf(now, facts) && isCutOnly(kind, now.metadata.name ?? '')),
  },
];

/** Of a name that another rule refuses, that rule alone speaks. */
const isCutOnly = (kind: 'MachineSet' | 'MachineDeployment', name: string): boolean =>
  isCutIn(kind, name) &&
  !breaksMachineNames(kind, name) &&
  !(kind === 'MachineDeployment' && name.length > NAME_ROOM.label);
