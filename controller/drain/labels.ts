import type { Api } from '../runtime/api.ts';
import { accountOf } from '../runtime/cacheroom.ts';
import type { Clock } from '../runtime/clock.ts';
import { namespaces } from '../runtime/core.ts';
import { Deadline, unlessAborted } from '../runtime/deadline.ts';
import { isNotFound } from '../runtime/errors.ts';
import { jitter, type Random } from '../runtime/random.ts';
import { weightOf } from '../runtime/weight.ts';
import { type Pod, pods } from '../runtime/workload.ts';
import { EVICTION_RETRY_MS } from './force.ts';
import { type Labels, picked } from './rules.ts';
import type { LabelsDue } from './view.ts';

/** Longest time of a look-up. */
const LOOKUP_MS = 30_000;
/** How soon labels are looked up again of pods that were not there, or have changed, and of namespaces. */
const AGAIN_MS = { missing: 2_000, changed: 10_000, namespace: 30_000 };

/** So many namespaces are looked up at once, and in a drain at all. */
const MOST_NAMESPACES = { flying: 8, all: 500 };

/** How labels are looked up. */
export interface LabelCalls {
  /** Those of the pods of the Node, by UID, and the versions at which they had them. */
  pods(signal: AbortSignal): Promise<ReadonlyMap<string, PodLabels>>;
  namespace(name: string, signal: AbortSignal): Promise<Labels>;
}

/** What is known of the labels of a pod. */
export interface PodLabels {
  labels: Labels;
  version: string | undefined;
}

/** What a look-up needs beside the call. */
export interface LookupParts {
  clock: Clock;
  random: Random;
  signal: AbortSignal;
  wake: () => void;
}

/**
 * Labels of the pods of a Node and of their namespaces, which no watch keeps: looked up only where a rule selects by them, and kept
 * only as far as one does.
 */
export class SeenLabels {
  /** The keys of those that are kept. */
  readonly keys: ReadonlySet<string>;
  readonly #parts: LookupParts;
  readonly #pods: Lookup<ReadonlyMap<string, PodLabels>>;
  readonly #namespaces = new Map<string, Lookup<Labels>>();

  constructor(parts: LookupParts, keys: ReadonlySet<string> = new Set()) {
    this.#parts = parts;
    this.keys = keys;
    this.#pods = new Lookup(parts);
  }

  /** The same for other keys, of which nothing is known yet. */
  forKeys(keys: ReadonlySet<string>): SeenLabels {
    return new SeenLabels(this.#parts, keys);
  }

  /** All labels of the pod with this UID; undefined before they were looked up. */
  ofPod(uid: string): Labels | undefined {
    return this.#pods.value?.get(uid)?.labels;
  }

  /** Those of the namespace; undefined before they were looked up. */
  ofNamespace(name: string): Labels | undefined {
    return this.#namespaces.get(name)?.value;
  }

  /** What is to be looked up now of these; undefined if nothing is. */
  due(read: { pods: ReadonlyArray<{ uid: string; version: string | undefined }>; namespaces: Iterable<string> }) {
    const isMissing = read.pods.some(({ uid }) => this.ofPod(uid) === undefined);
    const isOld = read.pods.some(({ uid, version }) => this.#pods.value?.get(uid)?.version !== version);
    const due = isOld && this.#pods.isDue(isMissing ? AGAIN_MS.missing : AGAIN_MS.changed);
    const old = this.#dueNamespaces(read.namespaces);
    return due || old.length > 0 ? ({ pods: due, namespaces: old } satisfies LabelsDue) : undefined;
  }

  #dueNamespaces(names: Iterable<string>): string[] {
    const known = this.#namespaces;
    const room = MOST_NAMESPACES.flying - [...known.values()].filter(({ flying }) => flying).length;
    const isDue = (name: string) => known.get(name)?.isDue(AGAIN_MS.namespace) ?? known.size < MOST_NAMESPACES.all;
    return [...names].filter(isDue).slice(0, Math.max(0, room));
  }

  /** Why labels that were looked up are not known, in words; undefined while the answer is on its way. */
  failure(missing: { pods: boolean; namespaces: Iterable<string> }): string | undefined {
    const pods = missing.pods ? this.#pods.failure : undefined;
    if (pods !== undefined) return `the labels of the pods of the Node cannot be looked up: ${pods}`;
    for (const name of missing.namespaces) {
      const known = this.#namespaces.get(name);
      if (!known && this.#namespaces.size >= MOST_NAMESPACES.all)
        return `the Node has pods of more than ${MOST_NAMESPACES.all} namespaces`;
      const failure = known?.failure;
      if (failure !== undefined) return `the labels of the namespace ${name} cannot be looked up: ${failure}`;
    }
    return undefined;
  }

  /** Looks up what is due. Nothing is awaited: the drain is woken when there is an answer. */
  lookUp(due: LabelsDue, calls: LabelCalls): void {
    if (due.pods) this.#pods.start((signal) => calls.pods(signal));
    for (const name of due.namespaces) {
      const lookup = this.#namespaces.get(name) ?? new Lookup<Labels>(this.#parts);
      this.#namespaces.set(name, lookup);
      lookup.start((signal) => calls.namespace(name, signal));
    }
  }
}

/** One thing that is looked up now and then: of what was known the latest counts, whatever fails after it. */
class Lookup<T> {
  value: T | undefined;
  /** Why the latest look-up failed. */
  failure: string | undefined;
  flying = false;
  #askedAt = Number.NEGATIVE_INFINITY;
  #retryMs = 0;
  readonly #o: LookupParts;

  constructor(o: LookupParts) {
    this.#o = o;
  }

  isDue(ms: number): boolean {
    const rest = this.failure === undefined ? ms : this.#retryMs;
    return !this.flying && this.#o.clock.monotonic() - this.#askedAt >= rest;
  }

  start(run: (signal: AbortSignal) => Promise<T>): void {
    if (this.flying) return;
    this.flying = true;
    this.#askedAt = this.#o.clock.monotonic();
    void this.#ask(run);
  }

  async #ask(run: (signal: AbortSignal) => Promise<T>): Promise<void> {
    const { clock, signal: parent, wake } = this.#o;
    const reason = () => new DOMException('it took too long', 'TimeoutError');
    const deadline = new Deadline({ clock, ms: LOOKUP_MS, parent, reason });
    try {
      this.value = await unlessAborted(run(deadline.signal), deadline.signal);
      this.failure = undefined;
    } catch (error) {
      this.failure = error instanceof Error ? error.message : String(error);
      this.#retryMs = jitter(this.#o.random, EVICTION_RETRY_MS);
    } finally {
      deadline.end();
      this.flying = false;
      if (!parent.aborted) wake();
    }
  }
}

const TIMEOUT_MS = 15_000;
/** More labels than that are not kept of the pods of a Node, or of a namespace (weight.ts). */
const MOST_BYTES = { pods: 1 << 20, namespace: 1 << 14 };
/** Far more pods than a Node has. */
const MOST_PODS = 5_000;

/** How labels of these keys are looked up in a target cluster: those of all pods of the Node by one list. */
export const labelCalls = (api: Api, nodeName: string, keys: ReadonlySet<string>): LabelCalls => ({
  async pods(signal) {
    const { items } = await api.list(pods, {
      fieldSelector: `spec.nodeName=${nodeName}`,
      signal,
      timeoutMs: TIMEOUT_MS,
      keep: (pod) => labelsAlone(pod, keys),
      most: { objects: MOST_PODS, bytes: MOST_BYTES.pods },
      account: accountOf(MOST_BYTES.pods),
    });
    return new Map(
      items.map(({ metadata: { uid = '', labels = {}, resourceVersion: version } }) => [uid, { labels, version }]),
    );
  },
  async namespace(name, signal) {
    try {
      const { metadata } = await api.get(namespaces, { name }, { signal, timeoutMs: TIMEOUT_MS });
      const labels = picked(metadata.labels, keys);
      if (weightOf(labels) > MOST_BYTES.namespace) throw new Error('they are too large');
      return labels;
    } catch (error) {
      if (isNotFound(error)) return {};
      throw error;
    }
  },
});

function labelsAlone({ metadata }: Pod, keys: ReadonlySet<string>): Pod {
  const { name, namespace, uid, resourceVersion, labels } = metadata;
  return { metadata: { name, namespace, uid, resourceVersion, labels: picked(labels, keys) } };
}
