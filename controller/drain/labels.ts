import type { Target } from '../model/target.ts';
import { isCrowded } from '../targets/pods.ts';
import type { Labels } from './flow/rules.ts';
import type { LabelsDue } from './flow/view.ts';
import { Lookup, type LookupParts, RoomInUse, weightOfLabels } from './lookup.ts';
import { type LabelReader, NamespaceLabels } from './namespacelabels.ts';
import { listLabels, type PodLabels, shared } from './podlabels.ts';

/** How soon labels are looked up again of pods that were not there, or have changed. */
const AGAIN_MS = { missing: 2_000, changed: 10_000 };

/** So many namespaces are looked up at once for a drain, and in it at all. */
const MOST_NAMESPACES = { inFlight: 8, all: 500 };

/** Whose labels are read: those of the pods of a Node, and of their namespaces. */
export interface Place {
  target: Target;
  nodeName: string;
}

/** Labels of namespaces by the target in which they are. */
export class TargetLabels {
  readonly #parts: Omit<LookupParts, 'enqueue'>;
  readonly #known = new WeakMap<Target, NamespaceLabels>();

  constructor({ clock, random }: Omit<LookupParts, 'enqueue'>) {
    this.#parts = { clock, random };
  }

  /** What a drain knows of labels; nothing yet. */
  open(place: Place, enqueue: () => void): SeenLabels {
    const elsewhere = (other: Place) => this.open(other, enqueue);
    return new SeenLabels(place, { ...this.#parts, enqueue, elsewhere, namespaces: this.#in(place.target) });
  }

  #in(target: Target): NamespaceLabels {
    const known = this.#known.get(target) ?? new NamespaceLabels(target, this.#parts);
    this.#known.set(target, known);
    return known;
  }
}

/**
 * Labels of the pods of a Node and of their namespaces, which no watch keeps: looked up only where a rule selects by them, and those of pods
 * kept only as far as one does.
 */
export class SeenLabels implements LabelReader {
  readonly enqueue: () => void;
  readonly #place: Place;
  readonly #elsewhere: (place: Place) => SeenLabels;
  readonly #pods: Lookup<ReadonlyMap<string, PodLabels>>;
  readonly #room: RoomInUse;
  readonly #namespaces: NamespaceLabels;
  /** Namespaces that were looked up for this drain. */
  readonly #names = new Set<string>();
  #keys: ReadonlySet<string> = new Set();

  constructor(
    place: Place,
    {
      namespaces,
      elsewhere,
      ...parts
    }: LookupParts & { namespaces: NamespaceLabels; elsewhere: (place: Place) => SeenLabels },
  ) {
    this.#place = place;
    this.#elsewhere = elsewhere;
    this.enqueue = parts.enqueue;
    this.#namespaces = namespaces;
    this.#pods = new Lookup(parts);
    this.#room = new RoomInUse(place.target.room);
  }

  /** The keys of those that are kept of pods. */
  get keys(): ReadonlySet<string> {
    return this.#keys;
  }

  /** The same for as long as its target is used; else what is known of the one in its place, which is nothing yet. */
  at(place: Place): SeenLabels {
    if (place.target === this.#place.target) return this;
    this.close();
    return this.#elsewhere(place);
  }

  /** These keys are read from now on. Where all of them were, what is known stays. */
  read(keys: ReadonlySet<string>): void {
    if (keys === this.#keys || keys.isSubsetOf(this.#keys)) return;
    this.#keys = keys;
    this.#pods.drop();
    this.#room.free();
  }

  /** The drain is over. */
  close(): void {
    this.#pods.drop();
    this.#room.free();
    this.#namespaces.leave(this.#names, this);
    this.#names.clear();
  }

  /** Labels of the pod with this UID; undefined before they were looked up. */
  ofPod(uid: string): Labels | undefined {
    return this.#pods.value?.get(uid)?.labels;
  }

  /** Those of the namespace; undefined before they were looked up. */
  ofNamespace(name: string): Labels | undefined {
    return this.#namespaces.of(name, this);
  }

  /** What is to be looked up now of these; undefined if nothing is. */
  due(read: { pods: ReadonlyArray<{ uid: string; version: string | undefined }>; namespaces: Iterable<string> }) {
    const isMissing = read.pods.some(({ uid }) => this.ofPod(uid) === undefined);
    const isOld = read.pods.some(({ uid, version }) => this.#pods.value?.get(uid)?.version !== version);
    const due = isOld && this.#pods.isDue(isMissing ? AGAIN_MS.missing : AGAIN_MS.changed);
    const old = this.#dueNamespaces(read.namespaces);
    return due || old.length > 0 ? ({ pods: due, namespaces: old } satisfies LabelsDue) : undefined;
  }

  #dueNamespaces(all: Iterable<string>): string[] {
    const [names, known] = [this.#names, this.#namespaces];
    let room = MOST_NAMESPACES.inFlight - [...names].filter((name) => known.isInFlight(name)).length;
    let more = MOST_NAMESPACES.all - names.size;
    const due: string[] = [];
    for (const name of all) {
      if (room <= 0) break;
      if (!known.isDue(name, this) || (!names.has(name) && more-- <= 0)) continue;
      due.push(name);
      room -= 1;
    }
    return due;
  }

  /** Why labels that were looked up are not known, in words; undefined while the answer is on its way. */
  failure(missing: { pods: boolean; namespaces: Iterable<string> }): string | undefined {
    const pods = missing.pods ? this.#pods.failure : undefined;
    if (pods !== undefined) return `the labels of the pods of the Node cannot be looked up: ${pods}`;
    for (const name of missing.namespaces) {
      if (!this.#names.has(name) && this.#names.size >= MOST_NAMESPACES.all)
        return `the Node has pods of more than ${MOST_NAMESPACES.all} namespaces`;
      const failure = this.#namespaces.failure(name);
      if (failure !== undefined) return `the labels of the namespace ${name} cannot be looked up: ${failure}`;
    }
    return undefined;
  }

  /** Looks up what is due. Nothing is awaited: the drain is enqueued when there is an answer. */
  lookUp(due: LabelsDue): void {
    if (due.pods) this.#pods.start((signal) => this.#list(signal));
    for (const name of due.namespaces) {
      this.#names.add(name);
      this.#namespaces.lookUp(name, this);
    }
  }

  async #list(signal: AbortSignal): Promise<ReadonlyMap<string, PodLabels>> {
    const { target, nodeName } = this.#place;
    const what = { nodeName, keys: this.#keys, isCrowded: isCrowded(target.pods, nodeName) };
    const listed = await listLabels(target.api, what, signal);
    signal.throwIfAborted();
    const known = shared(listed, this.#pods.value);
    this.#room.hold(weightOfLabels(new Set([...known.values()].map(({ labels }) => labels)), known.size));
    return known;
  }
}
