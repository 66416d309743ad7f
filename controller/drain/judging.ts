import type { Pod } from '../runtime/workload.ts';
import type { DrainMemory } from './memory.ts';
import { drainLabelsOf, isCompleted } from './pods.ts';
import { type DrainRule, keysRead, readsNamespaces, readsPods, type Verdict, verdictOn } from './rules.ts';
import type { DrainView, PodFact, SkippedPod } from './view.ts';

/** What rules say of a pod that leaves. */
export type Said = Pick<PodFact, 'order' | 'completing' | 'by' | 'undecided'>;

/** What rules and labels say of the pods of a Node. */
export interface Judged extends Pick<DrainView, 'undecided' | 'labelsPending' | 'labelsDue'> {
  /** Those that leave, or complete. */
  leaving: ReadonlyArray<{ pod: Pod; said: Said }>;
  skipped: readonly SkippedPod[];
  /** The same, as they are seen. */
  spared: readonly Pod[];
}

/** Holds the rules against the pods that a drain is about (pods.ts), as far as what they read is known. */
export function judgePods(memory: DrainMemory, pods: readonly Pod[]): Judged {
  const fact = memory.request.rules;
  const rules = fact.at === 'known' ? fact.rules : [];
  follow(memory, rules);
  const { labels } = memory;
  const verdicts = pods.map((pod) => ({ pod, verdict: verdictIn(memory, pod) }));
  const lacking = verdicts.filter(({ verdict }) => 'lacks' in verdict);
  const missing = {
    pods: lacking.some(({ verdict }) => 'lacks' in verdict && verdict.lacks === 'labels'),
    namespaces: lacking.flatMap(({ pod, verdict }) =>
      'lacks' in verdict && verdict.lacks === 'namespaceLabels' ? [pod.metadata.namespace ?? ''] : [],
    ),
  };
  const known = rules.some(readsNamespaces) ? pods.map(namespaceOf).filter((name) => labels.ofNamespace(name)) : [];
  const labelsDue = labels.due({
    pods: rules.some(readsPods)
      ? pods.map(({ metadata: { uid = '', resourceVersion } }) => ({ uid, version: resourceVersion }))
      : [],
    namespaces: new Set([...missing.namespaces, ...known]),
  });
  const failure = labels.failure(missing);
  const undecided = fact.at === 'faulty' ? fact.why : failure;
  const isPending = lacking.length > 0 && failure === undefined;
  return {
    leaving: verdicts.flatMap(({ pod, verdict }) =>
      isSkipped(verdict) ? [] : [{ pod, said: saidBy(verdict, isPending) }],
    ),
    skipped: verdicts.flatMap(({ pod, verdict }) =>
      isSkipped(verdict) ? [{ name: `${namespaceOf(pod)}/${pod.metadata.name}`, by: verdict.by ?? '' }] : [],
    ),
    spared: verdicts.flatMap(({ pod, verdict }) => (isSkipped(verdict) ? [pod] : [])),
    ...(undecided !== undefined && { undecided }),
    ...(isPending && { labelsPending: true as const }),
    ...(labelsDue && { labelsDue }),
  };
}

/** What was said by other rules counts no more, nor what was looked up for them. */
function follow(memory: DrainMemory, rules: readonly DrainRule[]): void {
  if (rules.length === memory.rules.length && rules.every((rule, at) => rule === memory.rules[at])) return;
  memory.rules = rules;
  memory.verdicts = new WeakMap();
  memory.labels = memory.labels.forKeys(keysRead(rules));
}

/** A pod is held against rules once for each of its versions: that may take long, and a drain looks often. */
function verdictIn({ rules, verdicts, labels: seen }: DrainMemory, pod: Pod): Verdict {
  const labels = seen.ofPod(pod.metadata.uid ?? '');
  const namespaceLabels = seen.ofNamespace(namespaceOf(pod));
  const before = verdicts.get(pod);
  if (before && before.labels === labels && before.namespaceLabels === namespaceLabels) return before.verdict;
  const about = { namespace: namespaceOf(pod), completed: isCompleted(pod), drainLabels: drainLabelsOf(pod) };
  const verdict = verdictOn({ ...about, labels, namespaceLabels }, rules);
  verdicts.set(pod, { labels, namespaceLabels, verdict });
  return verdict;
}

const namespaceOf = ({ metadata: { namespace = '' } }: Pod): string => namespace;

type Decided = Exclude<Verdict, { lacks: unknown }>;

const isSkipped = (verdict: Verdict): verdict is Decided => 'behavior' in verdict && verdict.behavior === 'Skip';

function saidBy(verdict: Verdict, isPending: boolean): Said {
  if ('lacks' in verdict) return isPending ? { undecided: true } : {};
  const { behavior, order, by } = verdict;
  return {
    ...(order !== 0 && { order }),
    ...(behavior === 'WaitCompleted' && { completing: true as const }),
    ...(by !== undefined && { by }),
  };
}
