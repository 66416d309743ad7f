import { LABEL_NAMESPACE_NAME, POD_DRAIN_LABELS } from '../../../schemas/keys.ts';
import type { DrainBehavior } from '../../../schemas/machinedrainrule.ts';
import { isEmpty, matches, type Selector } from '../../../schemas/selector.ts';

/** Labels of an object. */
export type Labels = Readonly<Record<string, string>>;

/** What a rule says of the pods that it picks, of the Node of a machine that it picks. */
export interface DrainRule {
  name: string;
  behavior: DrainBehavior;
  order: number;
  /** Absent: all pods. Of an entry all that it says must hold, of the entries one. */
  pods?: ReadonlyArray<{ selector?: Selector | undefined; namespaceSelector?: Selector | undefined }> | undefined;
  /** It cannot be parsed: which pods it picks is unknown. */
  faulty?: true;
}

/** The rules for the pods of a Node, the first to decide first. */
export type RulesFact =
  /** They cannot be listed. */
  | { at: 'unknown' }
  /** One of them cannot be understood, in words: among the rules it may pick any pod. */
  | { at: 'faulty'; why: string; rules: readonly DrainRule[] }
  | { at: 'known'; rules: readonly DrainRule[] };

/** Rules of which nothing is known: any of them may skip any pod. */
export const ANY_RULES: readonly DrainRule[] = [{ name: '', behavior: 'Skip', order: 0, faulty: true }];

/** What is known of a pod that rules are held against. */
export interface Subject {
  namespace: string;
  /** It has ended by itself. */
  completed: boolean;
  /** Of its labels those that say by themselves what a drain does with it. */
  drainLabels: Labels;
  /** All of its labels; undefined before they were looked up. */
  labels: Labels | undefined;
  /** Those of its namespace, its name among them; undefined before they were looked up. */
  namespaceLabels: Labels | undefined;
}

/** What a drain does with a pod, and who says so, in words; nobody if it is what it does with any pod. */
export type Verdict =
  | { behavior: DrainBehavior; order: number; by?: string }
  /**
   * Not known until something was looked up, the rule was corrected, or there is time to judge it; only whether a rule may skip the pod is
   * known.
   */
  | { lacks: Lacking | 'time'; maySkip: boolean };

/** What has to be known before it can be told whether a rule picks a pod. */
type Lacking = 'labels' | 'namespaceLabels' | 'rule';

/** A pod that no rule picks. */
const USUAL = { behavior: 'Drain', order: 0 } as const;

/**
 * What a drain does with a pod: what its label says, else the first rule that picks it (Cluster API, drain filters). A pod that was to be
 * waited for, and has completed, is drained like one that no rule picks.
 */
export function verdictOn(pod: Subject, say: (pod: Subject) => Verdict): Verdict {
  const verdict = labelled(pod.drainLabels) ?? say(pod);
  return 'behavior' in verdict && verdict.behavior === 'WaitCompleted' && pod.completed ? USUAL : verdict;
}

/** The words that Cluster API takes, in whatever case, and the second one without its hyphen as well. */
const BY_LABEL: Readonly<Record<string, DrainBehavior>> = {
  skip: 'Skip',
  'wait-completed': 'WaitCompleted',
  waitcompleted: 'WaitCompleted',
};

function labelled(labels: Labels): Verdict | undefined {
  for (const key of POD_DRAIN_LABELS) {
    const value = (labels[key] ?? '').toLowerCase();
    const behavior = Object.hasOwn(BY_LABEL, value) ? BY_LABEL[value] : undefined;
    if (behavior) return { behavior, order: 0, by: `its label ${key}` };
  }
  return undefined;
}

/** What the first rule says that picks the pod. */
export function ruled(
  pod: Pick<Subject, 'namespace' | 'labels' | 'namespaceLabels'>,
  rules: readonly DrainRule[],
): Verdict {
  let lacks: Lacking | undefined;
  let maySkip = false;
  for (const rule of rules) {
    const picked = picks(rule, pod);
    if (picked === false) continue;
    if (picked === true && !lacks)
      return { behavior: rule.behavior, order: rule.order, by: `MachineDrainRule ${rule.name}` };
    maySkip ||= rule.behavior === 'Skip';
    if (picked === true) break;
    // What can be looked up comes before what somebody has to mend.
    if (!lacks || lacks === 'rule') lacks = picked;
  }
  return lacks ? { lacks, maySkip } : USUAL;
}

/** Whether something holds, or what has to be known before. */
type Holds = boolean | Lacking;

function picks({ pods, faulty }: DrainRule, pod: Parameters<typeof ruled>[0]): Holds {
  if (faulty) return 'rule';
  if (!pods) return true;
  const entries = pods.map((entry): Holds => {
    const own = holds(entry.selector, pod.labels, 'labels');
    return own === true ? inNamespace(entry.namespaceSelector, pod) : own;
  });
  return entries.includes(true) || (entries.find((entry) => entry !== false) ?? false);
}

/** Those of the labels that have these keys. */
export const picked = (labels: Labels = {}, keys: ReadonlySet<string>): Record<string, string> =>
  Object.fromEntries(Object.entries(labels).filter(([key]) => keys.has(key)));

/** The keys that rules select by. */
export const keysRead = (rules: readonly DrainRule[]): ReadonlySet<string> =>
  new Set(
    rules
      .flatMap(({ pods = [] }) => pods.flatMap(({ selector, namespaceSelector }) => [selector, namespaceSelector]))
      .flatMap((selector) => [
        ...Object.keys(selector?.matchLabels ?? {}),
        ...(selector?.matchExpressions ?? []).map(({ key }) => key),
      ]),
  );

/** How many parts of selectors are looked at, at the most, where rules are held against a pod. */
export const effortOf = (rules: readonly DrainRule[]): number =>
  rules
    .flatMap(({ pods = [] }) => [undefined, ...pods.flatMap((entry) => [entry.selector, entry.namespaceSelector])])
    .reduce(
      (sum, selector) =>
        sum + 1 + Object.keys(selector?.matchLabels ?? {}).length + (selector?.matchExpressions ?? []).length,
      0,
    );

/** Whether the rule reads labels of pods beside those that speak for themselves. */
export const readsPods = ({ pods = [] }: DrainRule): boolean => pods.some(({ selector }) => !isEmpty(selector));

/** Whether the rule reads labels of namespaces beside their name. */
export const readsNamespaces = ({ pods = [] }: DrainRule): boolean =>
  pods.some(({ namespaceSelector: selector }) => selector && !readsNameAlone(selector));

function inNamespace(
  selector: Selector | undefined,
  { namespace, namespaceLabels }: Pick<Subject, 'namespace' | 'namespaceLabels'>,
): Holds {
  if (selector && readsNameAlone(selector)) return matches(selector, { [LABEL_NAMESPACE_NAME]: namespace });
  return holds(selector, namespaceLabels, 'namespaceLabels');
}

/** It asks for the name of the namespace alone, which needs no look at it. */
const readsNameAlone = ({ matchLabels, matchExpressions }: Selector): boolean =>
  [...Object.keys(matchLabels ?? {}), ...(matchExpressions ?? []).map(({ key }) => key)].every(
    (key) => key === LABEL_NAMESPACE_NAME,
  );

const holds = (selector: Selector | undefined, labels: Labels | undefined, lacks: Exclude<Holds, boolean>): Holds => {
  if (isEmpty(selector)) return true;
  return labels ? matches(selector, labels) : lacks;
};
