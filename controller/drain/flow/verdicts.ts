import { isSame } from '../../../schemas/same.ts';
import {
  type DrainRule,
  effortOf,
  keysRead,
  type Labels,
  readsNamespaces,
  readsPods,
  ruled,
  type Subject,
  type Verdict,
  verdictOn,
} from './rules.ts';

/** So many parts of selectors are looked at in one look at a drain, some milliseconds: what is left waits for the next one. */
const MOST_PARTS = 200_000;

/** Labels that are not known. */
const UNKNOWN: Labels = {};

/** What was said of pods of these labels and this namespace, for as long as its labels stay. */
interface Judgement {
  namespaceLabels: Labels | undefined;
  verdict: Verdict;
}

/**
 * What rules say of the pods of a Node. They are held once against what is known of a pod: labels are told apart as objects, of which
 * there is one for all that are the same (labels.ts).
 */
export class Verdicts {
  #rules: readonly DrainRule[] = [];
  #effort = 0;
  #maySkip = false;
  #said = new WeakMap<Labels, Map<string, Judgement>>();
  #left = MOST_PARTS;
  /** The keys that the rules select by. */
  keys: ReadonlySet<string> = new Set();
  /** Whether they read labels of pods, and of namespaces. */
  reads = { pods: false, namespaces: false };

  /** Goes by these rules from now on; whoever writes them as they were changes nothing. */
  follow(rules: readonly DrainRule[]): void {
    if (areSame(rules, this.#rules)) return;
    this.#rules = rules;
    this.#effort = effortOf(rules);
    this.#maySkip = rules.some(({ behavior }) => behavior === 'Skip');
    this.#said = new WeakMap();
    this.keys = keysRead(rules);
    this.reads = { pods: rules.some(readsPods), namespaces: rules.some(readsNamespaces) };
  }

  /** A look at the drain begins, with its part of the time. */
  begin(): void {
    this.#left = MOST_PARTS;
  }

  /** What a drain does with the pod. */
  on(pod: Subject): Verdict {
    return verdictOn(pod, (subject) => this.#say(subject));
  }

  #say({ labels, namespace, namespaceLabels }: Subject): Verdict {
    if (this.#rules.length === 0) return ruled({ labels, namespace, namespaceLabels }, []);
    const said = this.#said.getOrInsertComputed(labels ?? UNKNOWN, () => new Map<string, Judgement>());
    const before = said.get(namespace);
    if (before && before.namespaceLabels === namespaceLabels) return before.verdict;
    if (this.#left <= 0) return { lacks: 'time', maySkip: this.#maySkip };
    this.#left -= this.#effort;
    const verdict = ruled({ labels, namespace, namespaceLabels }, this.#rules);
    said.set(namespace, { namespaceLabels, verdict });
    return verdict;
  }
}

const areSame = (some: readonly DrainRule[], others: readonly DrainRule[]): boolean =>
  some.length === others.length && some.every((rule, at) => isSame(rule, others[at]));
