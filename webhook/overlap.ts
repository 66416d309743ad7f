import type { MachineDeployment } from '../schemas/machinedeployment.ts';
import type { MachineSet } from '../schemas/machineset.ts';
import { isEmpty, matches, type Selector, selectorFindings } from '../schemas/selector.ts';
import { countOf } from './naming.ts';
import type { Breach, Rule } from './rules.ts';
import { isSetOf } from './setsof.ts';

/** Only a warning: MCM lets two sets pick the same machines, and herds that live with it must stay workable. */
const row = {
  id: 'selector-takes-others',
  on: ['create', 'update'],
  field: 'spec.selector',
  level: 'warn',
  says: "also picks machines of other MachineSets of the namespace, which the two would take from one another; add a label here and in the template's labels that the others do not have",
} as const;

/** A selector of more labels and values is held against no set: all of them times all sets would hold up everybody's reviews. */
const MOST_PARTS = 1_000;

/** For a set. */
export const setTakesOthers: Rule<MachineSet> = {
  ...row,
  broken: ({ metadata, spec }, _before, { sets }) =>
    taken(
      spec?.selector,
      sets().filter((set) => set.metadata.name !== metadata.name),
    ),
};

/** For a deployment: its own sets aside. */
export const deploymentTakesOthers: Rule<MachineDeployment> = {
  ...row,
  broken: (now, _before, { sets }) =>
    taken(
      now.spec?.selector,
      sets().filter((set) => !isSetOf(now, set)),
    ),
};

function taken(selector: Selector | undefined, others: readonly MachineSet[]): Breach[] {
  if (isEmpty(selector) || sizeOf(selector) > MOST_PARTS || selectorFindings(selector).length > 0) return [];
  const taking = others
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .filter(({ spec }) => matches(selector, spec?.template?.metadata?.labels));
  return taking.length === 0 ? [] : [{ says: `${row.says} (picks those of ${countOf(taking.length, 'MachineSet')})` }];
}

const sizeOf = (selector: Selector | undefined): number =>
  (selector?.matchExpressions ?? []).reduce(
    (sum, { values }) => sum + 1 + (values?.length ?? 0),
    Object.keys(selector?.matchLabels ?? {}).length,
  );
