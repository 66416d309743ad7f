import type { Pod } from '../runtime/k8s/workload.ts';
import { drainLabelsOf, isCompleted } from '../targets/pods.ts';
import { ANY_RULES, type Verdict } from './flow/rules.ts';
import type { DrainView, PodFact, SkippedPod } from './flow/view.ts';
import type { DrainMemory } from './memory.ts';

/** What rules say of a pod that leaves. */
export type Said = Pick<PodFact, 'order' | 'completing' | 'by' | 'undecided' | 'maySkip'>;

/** What rules and labels say of the pods of a Node. */
export interface Judged extends Pick<DrainView, 'undecided' | 'labelsPending' | 'labelsDue' | 'unjudged'> {
  /** Those that leave, or complete. */
  leaving: ReadonlyArray<{ pod: Pod; said: Said }>;
  skipped: readonly SkippedPod[];
  /** The same, and those that may be skipped, as they are seen. */
  spared: readonly Pod[];
}

/** Holds the rules against the pods that a drain is about (pods.ts), as far as what they read is known. */
export function judgePods(memory: DrainMemory, pods: readonly Pod[]): Judged {
  const fact = memory.request.rules;
  memory.labels = memory.labels.at(memory.request);
  const { labels, verdicts: said } = memory;
  said.follow(fact.at === 'unknown' ? ANY_RULES : fact.rules);
  said.begin();
  labels.read(said.keys);
  const verdicts = pods.map((pod) => ({ pod, verdict: verdictIn(memory, pod) }));
  const lacking = (what: 'labels' | 'namespaceLabels' | 'time') =>
    verdicts.flatMap(({ pod, verdict }) => ('lacks' in verdict && verdict.lacks === what ? [pod] : []));
  const missing = { pods: lacking('labels').length > 0, namespaces: lacking('namespaceLabels').map(namespaceOf) };
  const known = said.reads.namespaces ? pods.map(namespaceOf).filter((name) => labels.ofNamespace(name)) : [];
  const labelsDue = labels.due({
    pods: said.reads.pods
      ? pods.map(({ metadata: { uid = '', resourceVersion } }) => ({ uid, version: resourceVersion }))
      : [],
    namespaces: new Set([...missing.namespaces, ...known]),
  });
  const failure = labels.failure(missing);
  const undecided = fact.at === 'faulty' ? fact.why : failure;
  const isPending = (missing.pods || missing.namespaces.length > 0) && failure === undefined;
  return {
    leaving: verdicts.flatMap(({ pod, verdict }) =>
      isSkipped(verdict) ? [] : [{ pod, said: saidBy(verdict, isPending) }],
    ),
    skipped: verdicts.flatMap(({ pod, verdict }) =>
      isSkipped(verdict) ? [{ name: `${namespaceOf(pod)}/${pod.metadata.name}`, by: verdict.by ?? '' }] : [],
    ),
    spared: verdicts.flatMap(({ pod, verdict }) => (isSkipped(verdict) || maySkip(verdict) ? [pod] : [])),
    ...(undecided !== undefined && { undecided }),
    ...(isPending && { labelsPending: true as const }),
    ...(lacking('time').length > 0 && { unjudged: true as const }),
    ...(labelsDue && { labelsDue }),
  };
}

function verdictIn({ verdicts, labels: seen }: DrainMemory, pod: Pod): Verdict {
  return verdicts.on({
    namespace: namespaceOf(pod),
    completed: isCompleted(pod),
    drainLabels: drainLabelsOf(pod),
    labels: seen.ofPod(pod.metadata.uid ?? ''),
    namespaceLabels: seen.ofNamespace(namespaceOf(pod)),
  });
}

const namespaceOf = ({ metadata: { namespace = '' } }: Pod): string => namespace;

type Decided = Exclude<Verdict, { lacks: unknown }>;

const isSkipped = (verdict: Verdict): verdict is Decided => 'behavior' in verdict && verdict.behavior === 'Skip';

const maySkip = (verdict: Verdict): boolean => 'lacks' in verdict && verdict.maySkip;

function saidBy(verdict: Verdict, isPending: boolean): Said {
  if ('lacks' in verdict) {
    const isAwaited = verdict.lacks === 'time' || (isPending && verdict.lacks !== 'rule');
    return { ...(isAwaited && { undecided: true as const }), ...(verdict.maySkip && { maySkip: true as const }) };
  }
  const { behavior, order, by } = verdict;
  return {
    ...(order !== 0 && { order }),
    ...(behavior === 'WaitCompleted' && { completing: true as const }),
    ...(by !== undefined && { by }),
  };
}
