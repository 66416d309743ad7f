import { ruled, type Subject, verdictOn } from '../../controller/drain/flow/rules.ts';
import { drainRule } from '../../controller/machine/drainrules.fixture.ts';
import { rulesFor } from '../../controller/machine/observedrain.ts';
import type { MachineDrainRule } from '../../schemas/machinedrainrule.ts';
import { machine } from '../fixtures/objects.ts';
import type { HeededFields } from './row.ts';

const pod: Subject = {
  namespace: 'shop',
  completed: false,
  drainLabels: {},
  labels: { app: 'web' },
  namespaceLabels: { team: 'blue' },
};

/** What becomes of a pod in a drain under this rule alone. */
function becomes(spec: Partial<MachineDrainRule['spec']>) {
  const rules = [drainRule('a', { drain: { behavior: 'Skip' }, ...spec })];
  const fact = rulesFor(machine(), { rules, clusterLabels: { stage: 'live' } });
  return fact.at === 'known' ? verdictOn(pod, (subject) => ruled(subject, fact.rules)) : fact;
}

const other = { matchLabels: { other: 'yes' } };
const unlike = { matchExpressions: [{ key: 'other', operator: 'Exists' as const }] };
const machines = (entry: NonNullable<MachineDrainRule['spec']['machines']>[number]) => becomes({ machines: [entry] });
const pods = (entry: NonNullable<MachineDrainRule['spec']['pods']>[number]) => becomes({ pods: [entry] });

/** Who heeds each field of a MachineDrainRule. */
export const drainRuleFields: HeededFields = {
  'spec.drain.behavior': () => [becomes({}), becomes({ drain: { behavior: 'WaitCompleted' } })],
  'spec.drain.order': () => [
    becomes({ drain: { behavior: 'Drain' } }),
    becomes({ drain: { behavior: 'Drain', order: 3 } }),
  ],
  'spec.machines[].selector.matchLabels': () => [becomes({}), machines({ selector: other })],
  'spec.machines[].selector.matchExpressions[].**': () => [becomes({}), machines({ selector: unlike })],
  'spec.machines[].clusterSelector.matchLabels': () => [becomes({}), machines({ clusterSelector: other })],
  'spec.machines[].clusterSelector.matchExpressions[].**': () => [becomes({}), machines({ clusterSelector: unlike })],
  'spec.pods[].selector.matchLabels': () => [becomes({}), pods({ selector: other })],
  'spec.pods[].selector.matchExpressions[].**': () => [becomes({}), pods({ selector: unlike })],
  'spec.pods[].namespaceSelector.matchLabels': () => [becomes({}), pods({ namespaceSelector: other })],
  'spec.pods[].namespaceSelector.matchExpressions[].**': () => [becomes({}), pods({ namespaceSelector: unlike })],
};
