import type { MachineDeployment } from '../../schemas/machinedeployment.ts';
import type { MachineSet } from '../../schemas/machineset.ts';
import { missesTemplate } from '../../schemas/rules/selector.ts';
import { isEmpty, matches, type Selector, selectorFindings } from '../../schemas/selector.ts';
import { type Rule, when } from '../admission/rule.ts';
import type { Violation } from '../providers/violation.ts';
import { MOST_STEPS } from '../providers/workbudget.ts';
import { countOf, isSetOf, type Templated } from './places.ts';

const SELECTOR = 'spec.selector';

/** What holds for the selector of every kind with a template. */
export const selectorRules: readonly Rule<Templated>[] = [
  {
    id: 'selector-not-empty',
    on: ['create', 'update'],
    field: SELECTOR,
    reason: 'FieldValueRequired',
    message:
      'must not be empty, or it would pick every machine of the namespace; name at least one label of spec.template.metadata.labels',
    validate: ({ spec }) => when(isEmpty(spec.selector)),
  },
  {
    id: 'selector-parses',
    on: ['create', 'update'],
    field: SELECTOR,
    message: 'must be a valid label selector',
    validate: ({ spec }) => selectorFindings(spec.selector).map(({ at, message }) => ({ at: `.${at}`, message })),
  },
  {
    id: 'selector-matches-template',
    on: ['create', 'update'],
    field: SELECTOR,
    reads: [SELECTOR, 'spec.template.metadata.labels'],
    message:
      'must match spec.template.metadata.labels: otherwise machines made from the template never count, and more and more are made; make the two agree',
    validate: ({ spec }) => when(missesTemplate(spec.selector, spec.template?.metadata?.labels)),
  },
];

/** A selector stays as it was made, as far as `changed` goes. */
export const selectorImmutable = (
  changed: (now: Selector | undefined, before: Selector | undefined) => boolean,
): Rule<Templated> => ({
  id: 'selector-immutable',
  on: ['update'],
  field: SELECTOR,
  message:
    'is immutable: machines that a changed selector no longer picks would be orphans; make a new object with the other selector',
  validate: (now, before) => when(changed(now.spec.selector, before?.spec.selector)),
});

/** Only a warning: MCM lets two sets pick the same machines, and herds that live with it must stay workable. */
const row = {
  id: 'selector-takes-others',
  on: ['create', 'update'],
  field: 'spec.selector',
  level: 'warn',
  message:
    "also picks machines of other MachineSets of the namespace, which the two would take from one another; add a label here and in the template's labels that the others do not have",
} as const;

/** For a set. */
export const setTakesOthers: Rule<MachineSet> = {
  ...row,
  validate: ({ metadata, spec }, _before, { sets }) =>
    taken(
      spec?.selector,
      sets().filter((set) => set.metadata.name !== metadata.name),
    ),
};

/** For a deployment: its own sets aside. */
export const deploymentTakesOthers: Rule<MachineDeployment> = {
  ...row,
  validate: (now, _before, { sets }) =>
    taken(
      now.spec?.selector,
      sets().filter((set) => !isSetOf(now, set)),
    ),
};

/**
 * As many sets are compared as the effort of one document allows, a step for each part of the selector: what a warning is worth
 * holds up nobody's reviews (hack/decisions/0028 T10).
 */
function taken(selector: Selector | undefined, others: readonly MachineSet[]): Violation[] {
  if (isEmpty(selector) || selectorFindings(selector).length > 0) return [];
  const compared = others.slice(0, Math.floor(MOST_STEPS / (1 + partsIn(selector))));
  const taking = compared
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .filter(({ spec }) => matches(selector, spec?.template?.metadata?.labels));
  const left = others.length - compared.length;
  if (taking.length > 0)
    return [{ message: `${row.message} (picks those of ${countOf(taking.length, 'MachineSet')}${andLeft(left)})` }];
  return left === 0 ? [] : [{ message: `${UNSURE}${andLeft(left)}` }];
}

const UNSURE =
  'may also pick machines of other MachineSets of the namespace: select by fewer labels and expressions to be told';

const andLeft = (left: number): string => (left === 0 ? '' : `; ${countOf(left, 'MachineSet')} more were not compared`);

const partsIn = (selector: Selector | undefined): number =>
  Object.keys(selector?.matchLabels ?? {}).length + (selector?.matchExpressions?.length ?? 0);
