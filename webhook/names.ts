import { controllerOf, type KubeObject } from '../controller/runtime/object.ts';
import { breaksMachineNames, isCutIn, NAME_ROOM } from '../schemas/rules/names.ts';
import { type Rule, when } from './rules.ts';

const FIELD = 'metadata.name';

/** For Machines, whose Node carries the name as a label, and for deployments, whose machines do. */
export const nameShort: Rule<KubeObject> = {
  id: 'name-short',
  on: ['create'],
  field: FIELD,
  says: `must be at most ${NAME_ROOM.label} characters long, because a label carries it`,
  broken: ({ metadata }) => when((metadata.name ?? '').length > NAME_ROOM.label),
};

/** For what makes machines: their names begin with its own (MCM 5.4). */
export const machineNameRules = (kind: 'MachineSet' | 'MachineDeployment'): readonly Rule<KubeObject>[] => [
  {
    id: 'machine-names-valid',
    on: ['create'],
    field: FIELD,
    says: 'must not have a dot where the names of its machines are cut: they would be no names; choose a shorter one',
    broken: ({ metadata }) => when(breaksMachineNames(kind, metadata.name ?? '')),
  },
  {
    id: 'machine-names-whole',
    on: ['create'],
    field: FIELD,
    level: 'warn',
    says: `is cut in the names of its machines, which no longer tell where they belong; a MachineSet has room for ${NAME_ROOM.MachineSet} characters, a MachineDeployment for ${NAME_ROOM.MachineDeployment}`,
    broken: (now) => when(!controllerOf(now) && isCutIn(kind, now.metadata.name ?? '')),
  },
];
