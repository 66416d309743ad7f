import { type MachineDrainRule, machineDrainRuleKind } from '../../../schemas/machinedrainrule.ts';
import { drainRuleFindings } from '../../../schemas/rules/drainrule.ts';
import type { Rule } from '../../admission/rule.ts';
import type { Table } from '../../admission/table.ts';
import { createdBy, createdByStays } from '../createdby.ts';
import { priorityInRange } from '../priority.ts';

/** Where the findings of this rule begin. */
const SPEC = 'spec';

/** One that cannot be understood holds every drain up that it may be about (controller/machine/observedrain.ts). */
const selectorsParse: Rule<MachineDrainRule> = {
  id: 'drain-rule-selectors-parse',
  on: ['create', 'update'],
  field: SPEC,
  message: 'must have valid label selectors',
  validate: ({ spec }) => drainRuleFindings(spec).map(({ at, message }) => ({ at: at.slice(SPEC.length), message })),
};

/** MachineDrainRule. */
export const machineDrainRuleTable: Table<MachineDrainRule> = {
  kind: machineDrainRuleKind,
  guarded: ['metadata'],
  defaults: [createdBy],
  rules: [createdByStays, priorityInRange, selectorsParse],
};
