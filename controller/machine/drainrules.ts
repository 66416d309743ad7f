import type { Machine } from '../../schemas/machine.ts';
import { drainBehaviors, type MachineDrainRule } from '../../schemas/machinedrainrule.ts';
import { drainRuleFindings, MOST_DRAIN_RULES } from '../../schemas/rules/drainrule.ts';
import { isEmpty, matches } from '../../schemas/selector.ts';
import type { DrainRule, Labels, RulesFact } from '../drain/rules.ts';

/** What the rules of a Machine's namespace come to for the pods of its Node. */
export function rulesFor(
  { metadata: { labels = {} } }: Machine,
  { rules, clusterLabels }: { rules: readonly MachineDrainRule[]; clusterLabels: Labels | undefined },
): RulesFact {
  if (rules.length > MOST_DRAIN_RULES) return { at: 'faulty', why: TOO_MANY };
  const found: DrainRule[] = [];
  for (const rule of rules.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))) {
    const fault = faultOf(rule);
    if (fault !== undefined) return { at: 'faulty', why: fault };
    if (picks(rule, { labels, clusterLabels })) found.push(asDrainRule(rule));
  }
  return { at: 'known', rules: found };
}

const TOO_MANY = `the namespace has more than ${MOST_DRAIN_RULES} MachineDrainRules, more than are held against pods: delete some`;

/** Of no Cluster there are no labels, so that no selector that says something picks it. */
const picks = (
  { spec: { machines } }: MachineDrainRule,
  { labels, clusterLabels }: { labels: Labels; clusterLabels: Labels | undefined },
): boolean =>
  machines?.some(
    ({ selector, clusterSelector }) =>
      (isEmpty(selector) || matches(selector, labels)) &&
      (isEmpty(clusterSelector) || (clusterLabels !== undefined && matches(clusterSelector, clusterLabels))),
  ) ?? true;

/** The same one for the same rule: that tells a drain that nothing has changed. */
function asDrainRule(rule: MachineDrainRule): DrainRule {
  const before = known.get(rule);
  const made = before ?? drainRuleOf(rule);
  if (!before) known.set(rule, made);
  return made;
}

const known = new WeakMap<MachineDrainRule, DrainRule>();

const drainRuleOf = ({ metadata: { name }, spec: { drain, pods } }: MachineDrainRule): DrainRule => ({
  name,
  behavior: drain.behavior,
  order: drain.behavior === 'Drain' ? (drain.order ?? 0) : 0,
  ...(pods && { pods }),
});

/** Rules that were judged before: caches share objects that nobody changes. */
const faults = new WeakMap<MachineDrainRule, string | undefined>();

/** Why a rule cannot be understood, in words: that of an older webhook, or of none (Cluster API holds the drain as well). */
function faultOf(rule: MachineDrainRule): string | undefined {
  if (!faults.has(rule)) faults.set(rule, findFault(rule));
  return faults.get(rule);
}

function findFault({ metadata: { name }, spec }: MachineDrainRule): string | undefined {
  const says = (what: string) => `MachineDrainRule ${name}: ${what}`;
  if (!drainBehaviors.some((known) => known === spec?.drain?.behavior))
    return says(`spec.drain.behavior must be one of ${drainBehaviors.join(', ')}`);
  const [first] = drainRuleFindings(spec);
  return first && says(`${first.at} ${first.message}`);
}
