import type { Machine } from '../../schemas/machine.ts';
import { type DrainBehavior, drainBehaviors, type MachineDrainRule } from '../../schemas/machinedrainrule.ts';
import { drainRuleFindings, MOST_DRAIN_RULES } from '../../schemas/rules/drainrule.ts';
import { isEmpty, matches } from '../../schemas/selector.ts';
import { ANY_RULES, type DrainRule, type Labels, type RulesFact } from '../drain/flow/rules.ts';

/** What the rules of a Machine's namespace come to for the pods of its Node. */
export function rulesFor(
  { metadata: { labels = {} } }: Machine,
  { rules, clusterLabels }: { rules: readonly MachineDrainRule[]; clusterLabels: Labels | undefined },
): RulesFact {
  if (rules.length > MOST_DRAIN_RULES)
    return { at: 'faulty', why: TOO_MANY, rules: rules.some((rule) => behaviorOf(rule) === 'Skip') ? ANY_RULES : [] };
  const found: DrainRule[] = [];
  let why: string | undefined;
  for (const rule of rules.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))) {
    const fault = faultOf(rule);
    why ??= fault?.why;
    if (fault?.ofMachines || picks(rule, { labels, clusterLabels })) found.push(asDrainRule(rule));
  }
  return why === undefined ? { at: 'known', rules: found } : { at: 'faulty', why, rules: found };
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

function drainRuleOf(rule: MachineDrainRule): DrainRule {
  const { name } = rule.metadata;
  const behavior = behaviorOf(rule);
  if (faultOf(rule) !== undefined) return { name, behavior, order: 0, faulty: true };
  const { drain, pods } = rule.spec;
  return { name, behavior, order: behavior === 'Drain' ? (drain.order ?? 0) : 0, ...(pods && { pods }) };
}

/** What cannot be understood may mean that pods are to be skipped: that is the most that a rule says. */
const behaviorOf = ({ spec }: MachineDrainRule): DrainBehavior =>
  drainBehaviors.find((known) => known === spec?.drain?.behavior) ?? 'Skip';

/** Rules that were judged before: caches share objects that nobody changes. */
const faults = new WeakMap<MachineDrainRule, Fault | undefined>();

/** Why a rule cannot be understood, in words, and whether nobody knows which Machines it picks. */
interface Fault {
  why: string;
  ofMachines: boolean;
}

/** What is wrong with a rule: it is of an older webhook, or of none (Cluster API holds the drain as well). */
function faultOf(rule: MachineDrainRule): Fault | undefined {
  if (!faults.has(rule)) faults.set(rule, findFault(rule));
  return faults.get(rule);
}

function findFault({ metadata: { name }, spec }: MachineDrainRule): Fault | undefined {
  const findings = spec ? drainRuleFindings(spec) : [];
  const ofMachines = !spec || findings.some(({ at }) => !at.startsWith('spec.pods'));
  const says = (what: string) => ({ why: `MachineDrainRule ${name}: ${what}`, ofMachines });
  if (!drainBehaviors.some((known) => known === spec?.drain?.behavior))
    return says(`spec.drain.behavior must be one of ${drainBehaviors.join(', ')}`);
  const [first] = findings;
  return first && says(`${first.at} ${first.message}`);
}
