import { ANNOTATION_REVISION } from '../../schemas/keys.ts';
import type { MachineDeployment } from '../../schemas/machinedeployment.ts';
import type { MachineSet } from '../../schemas/machineset.ts';
import type { Rule } from '../admission/rule.ts';
import type { Breach } from '../providers/breach.ts';
import { countOf } from './naming.ts';
import { isSetOf } from './setsof.ts';

/**
 * A rollback goes to a set that is there (MCM 4.8). A set that was made this moment may not be seen yet: the rollback is
 * refused, and trying again helps.
 */
export const rollbackTarget: Rule<MachineDeployment> = {
  id: 'rollback-target',
  on: ['create', 'update'],
  field: 'spec.rollbackTo.revision',
  reads: ['spec.rollbackTo'],
  says: 'must be the revision of one of the MachineSets of the deployment, or 0 for the one before the latest',
  broken(now, _before, { sets }) {
    if (!now.spec?.rollbackTo) return [];
    return missing(now.spec.rollbackTo.revision ?? 0, revisionsIn(sets().filter((set) => isSetOf(now, set))));
  },
};

function missing(wanted: number, revisions: readonly number[]): Breach[] {
  const before = revisions.slice(0, -1);
  if (wanted === 0 ? before.length > 0 : revisions.includes(wanted)) return [];
  const known = `${countOf(revisions.length, 'revision')} known: see the annotation ${ANNOTATION_REVISION} of its MachineSets`;
  return [{ says: `${rollbackTarget.says} (${known})` }];
}

/** Lowest first. */
const revisionsIn = (sets: readonly MachineSet[]): number[] =>
  sets
    .map(({ metadata }) => Number(metadata.annotations?.[ANNOTATION_REVISION]))
    .filter(Number.isSafeInteger)
    .sort((a, b) => a - b);
