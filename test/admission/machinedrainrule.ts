import { type MachineDrainRule, machineDrainRuleKind } from '../../schemas/machinedrainrule.ts';
import { builder, type CaseTable } from './case.ts';
import { metadataCases } from './metadata.ts';

const rule = builder<MachineDrainRule>({
  apiVersion: 'drover.dev/v1alpha1',
  kind: machineDrainRuleKind.kind,
  metadata: { name: 'jobs' },
  spec: { drain: { behavior: 'Skip' } },
});

const BROKEN = { matchExpressions: [{ key: 'job', operator: 'Exists' as const, values: ['a'] }] };
const PARSES = 'drain-rule-selectors-parse';

const good = { matchLabels: { app: 'web' } };
const withAll = rule((made) => {
  made.spec.machines = [{ selector: good, clusterSelector: good }];
  made.spec.pods = [{ selector: good, namespaceSelector: good }, { selector: {} }];
});
const specced = (change: (made: MachineDrainRule['spec']) => void) => rule(({ spec }) => change(spec));
const broken = specced((spec) => {
  spec.pods = [{ selector: BROKEN }];
});

/** Requests about MachineDrainRules, and the rules that refuse them. */
export const machineDrainRuleCases: CaseTable<MachineDrainRule> = {
  kind: machineDrainRuleKind,
  cases: [
    { what: 'a plain rule', now: rule(), refused: [] },
    { what: 'a rule with every selector', now: withAll, refused: [] },
    {
      what: 'a selector of Machines that says nothing',
      now: specced((spec) => {
        spec.machines = [{ selector: BROKEN }];
      }),
      refused: [PARSES],
    },
    {
      what: 'a selector of Clusters that says nothing',
      now: specced((spec) => {
        spec.machines = [{ clusterSelector: { matchLabels: { 'a b': 'c' } } }];
      }),
      refused: [PARSES],
    },
    { what: 'a selector of pods that says nothing', now: broken, refused: [PARSES] },
    {
      what: 'a selector of namespaces that says nothing',
      now: specced((spec) => {
        spec.pods = [{ selector: good }, { namespaceSelector: { matchLabels: { a: '-' } } }];
      }),
      refused: [PARSES],
    },
    {
      what: 'more labels and expressions than are held against a pod',
      now: specced((spec) => {
        const many = { matchLabels: Object.fromEntries(Array.from({ length: 51 }, (_, at) => [`k${at}`, 'v'])) };
        spec.pods = [{ selector: many }, { namespaceSelector: many }];
      }),
      refused: [PARSES],
    },
    { what: 'a selector that becomes wrong', before: rule(), now: broken, refused: [PARSES] },
    ...metadataCases(rule),
  ],
};
