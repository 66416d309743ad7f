import { LABEL_SELECTED } from '../../schemas/keys.ts';
import type { MachineDeployment } from '../../schemas/machinedeployment.ts';
import type { MachineSet } from '../../schemas/machineset.ts';
import { rollbackTarget, setOfTemplate } from '../../schemas/revisions.ts';
import { isSameTemplate, type Template } from '../../schemas/templateidentity.ts';
import type { Facts } from '../admission/context.ts';
import { makerOf } from '../admission/maker.ts';
import type { Rule } from '../admission/rule.ts';
import type { Violation } from '../providers/violation.ts';
import { MOST_STEPS } from '../providers/workbudget.ts';
import { otherProvider } from './elsewhere.ts';
import { countOf, isSetOf } from './places.ts';

/** What a change of a template does to the machines that there are, for who changes it, or tries to with `--dry-run=server`. */

const machines = (count: number): string => countOf(count, 'machine');

/** Of a deployment whose template changed; what the controller brings back in a rollback was told when that was asked for. */
export const templateReplaces: Rule<MachineDeployment> = {
  id: 'template-replaces',
  on: ['update'],
  field: 'spec.template',
  level: 'warn',
  message:
    'tells how many machines the change replaces, or updates in place: those of other templates, as far as replicas want them',
  validate(now, before, facts) {
    if (before?.spec?.rollbackTo && !now.spec?.rollbackTo) return [];
    const own = facts.sets().filter((set) => isSetOf(now, set));
    if (isWide(now.spec?.template, [before?.spec?.template])) return sum(own) > 0 ? [{ message: UNSURE }] : [];
    if (!isSameTemplate(now.spec?.template, before?.spec?.template))
      return comingTo(now.spec?.template, { now, sets: own });
    const all = sum(own);
    return all > 0 ? [{ message: reaching(all, now.spec?.template, facts) }] : [];
  },
};

/** Of a deployment that is asked to go back. */
export const rollbackReplaces: Rule<MachineDeployment> = {
  id: 'rollback-replaces',
  on: ['update'],
  field: 'spec.rollbackTo',
  level: 'warn',
  message: 'tells how many machines the rollback replaces, or updates in place',
  validate(now, _before, { sets }) {
    if (!now.spec?.rollbackTo) return [];
    const own = sets().filter((set) => isSetOf(now, set));
    if (isWide(now.spec.template, templatesOf(own))) return [{ message: UNSURE }];
    const target = rollbackTarget(now, own);
    return target ? comingTo(target.spec?.template, { now, sets: own }) : [];
  },
};

/** Of a set: it replaces none itself, and what a deployment keeps is not for others to change. */
export const setTemplateReplaces: Rule<MachineSet> = {
  id: 'set-template-replaces',
  on: ['update'],
  field: 'spec.template',
  level: 'warn',
  message:
    'tells that a MachineSet replaces no machine: the change holds for those that it makes later, and settings reach all; of a set of a MachineDeployment, how many that replaces for it',
  validate(now, before, facts) {
    const count = now.status?.replicas ?? 0;
    if (count === 0) return [];
    const maker = makerOf(now, facts);
    if (isWide(now.spec?.template, [before?.spec?.template]))
      return [{ message: maker ? UNSURE_SET : 'replaces no machine' }];
    if (isSameTemplate(now.spec?.template, before?.spec?.template))
      return maker ? [] : [{ message: reaching(count, now.spec?.template, facts) }];
    return [{ message: maker ? strayed(maker.metadata.name, count) : later(count) }];
  },
};

/** Of machines that another machine controller serves, that alone knows what it heeds (hack/decisions/0051 U13). */
function reaching(count: number, template: Template | undefined, facts: Facts): string {
  const other = otherProvider(template?.spec, facts);
  return other === undefined
    ? `replaces no machine: the change reaches the ${count} that there are`
    : `replaces no machine: the change reaches the objects of the ${count} that there are, and it is for the machine controller of provider ${other} to heed it`;
}

const later = (count: number): string =>
  `replaces no machine: it holds for those that the set makes from now on, and the ${count} that there are stay as they are`;

const strayed = (deployment: string, count: number): string =>
  `is no longer that of MachineDeployment ${deployment}, which will replace ${machines(count)} of the set for it; change the template of the deployment instead`;

interface Herd {
  now: MachineDeployment;
  sets: readonly MachineSet[];
}

/** What comes of a deployment that gets this template. */
function comingTo(template: Template | undefined, { now, sets }: Herd): Violation[] {
  if (isWide(template, templatesOf(sets))) return [{ message: UNSURE }];
  const present = setOfTemplate(template, sets);
  const old = sum(sets.filter((set) => set !== present));
  const { replicas = 0 } = now.spec;
  const count = Math.min(old, replicas - (present ? stayingOf(present) : 0));
  if (count > 0) return [{ message: coming(now, count) }];
  if (old > 0) return replicas > 0 ? [{ message: leftOver(old) }] : [];
  const kept = sum(sets);
  return kept > 0 ? [{ message: `replaces no machine: all ${kept} are of this template` }] : [];
}

/** Those of a set that it is not to be without by now. */
const stayingOf = ({ spec, status }: MachineSet): number => Math.min(spec.replicas ?? Infinity, status?.replicas ?? 0);

const leftOver = (count: number): string =>
  `replaces no machine: ${count} that ${count === 1 ? 'was' : 'were'} made for the other template ${count === 1 ? 'goes' : 'go'}`;

const UNSURE = 'may replace machines: the templates of its MachineSets are too large to be compared here';
const UNSURE_SET =
  'may no longer be that of its MachineDeployment, which would replace machines: it is too large to be compared here';

function coming({ spec }: MachineDeployment, count: number): string {
  const { type, inPlaceUpdate } = spec.strategy ?? {};
  const paused = spec.paused ? ', when it is no longer paused' : '';
  if (type === 'Recreate') return `will replace ${machines(count)}, all of them at once${paused}`;
  if (type !== 'InPlaceUpdate') return `will replace ${machines(count)}${paused}`;
  const manual = inPlaceUpdate?.orchestrationType === 'Manual' ? `, each once its Node has ${LABEL_SELECTED}=true` : '';
  return `will update ${machines(count)} in place${manual}${paused}`;
}

const sum = (sets: readonly MachineSet[]): number =>
  sets.reduce((count, { status }) => count + (status?.replicas ?? 0), 0);

/**
 * Comparing the template with each of the others takes more than judging one document may: what a warning is worth holds up nobody's reviews
 * (hack/decisions/0028 T53, T66). Whatever is in them counts, also what no schema bounds.
 */
export function isWide(template: Template | undefined, others: readonly (Template | undefined)[]): boolean {
  let left = MOST_STEPS - others.length * sizeOf(template, MOST_STEPS);
  for (const other of others) {
    if (left < 0) break;
    left -= sizeOf(other, left);
  }
  return left < 0;
}

/** The templates of these sets. */
export const templatesOf = (sets: readonly MachineSet[]): (Template | undefined)[] =>
  sets.map(({ spec }) => spec?.template);

/** How many fields and items a value has, at all levels; hardly more than the most are counted. */
function sizeOf(value: unknown, most: number): number {
  const left = [value];
  let count = 0;
  for (let one = left.pop(); count <= most && one !== undefined; one = left.pop())
    for (const key in one as object) {
      if (++count > most) break;
      const part = (one as Record<string, unknown>)[key];
      if (typeof part === 'object' && part !== null) left.push(part);
    }
  return count;
}
