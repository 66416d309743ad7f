import type { MachineDrainRule } from '../machinedrainrule.ts';
import { type Selector, type SelectorFinding, selectorFindings } from '../selector.ts';

/** So many rules of a namespace are held against pods: all else waits meanwhile (hack/decisions/0056). */
export const MOST_DRAIN_RULES = 100;

/** And so many labels and expressions the selectors of a rule have together. */
const MOST_PARTS = 100;

const TOO_MANY_PARTS = `must have at most ${MOST_PARTS} labels and expressions in all of its selectors; make a label for what they have in common, or two rules`;

/** Everything that keeps the selectors of a MachineDrainRule from being understood; where is below the object. */
export function drainRuleFindings(spec: MachineDrainRule['spec']): SelectorFinding[] {
  const findings = findingsIn(spec);
  return findings.length === 0 && partsOf(spec) > MOST_PARTS ? [{ at: 'spec', message: TOO_MANY_PARTS }] : findings;
}

const partsOf = ({ machines = [], pods = [] }: MachineDrainRule['spec']): number =>
  [...machines, ...pods]
    .flatMap((entry): Array<Selector | undefined> => Object.values(entry))
    .reduce(
      (sum, selector) =>
        sum + Object.keys(selector?.matchLabels ?? {}).length + (selector?.matchExpressions ?? []).length,
      0,
    );

const findingsIn = ({ machines = [], pods = [] }: MachineDrainRule['spec']): SelectorFinding[] => [
  ...machines.flatMap(({ selector, clusterSelector }, index) => [
    ...findingsAt(`spec.machines[${index}].selector`, selector),
    ...findingsAt(`spec.machines[${index}].clusterSelector`, clusterSelector),
  ]),
  ...pods.flatMap(({ selector, namespaceSelector }, index) => [
    ...findingsAt(`spec.pods[${index}].selector`, selector),
    ...findingsAt(`spec.pods[${index}].namespaceSelector`, namespaceSelector),
  ]),
];

const findingsAt = (at: string, selector: Selector | undefined): SelectorFinding[] =>
  selectorFindings(selector).map((finding) => ({ ...finding, at: `${at}.${finding.at}` }));
