import { LABEL_NAMESPACE_NAME } from '../../schemas/keys.ts';
import type { Target } from '../model/target.ts';
import type { Api } from '../runtime/client/api.ts';
import { isNotFound } from '../runtime/client/errors.ts';
import { namespaces } from '../runtime/k8s/core.ts';
import { weightOf } from '../runtime/memory/weight.ts';
import { type Labels, picked } from './flow/rules.ts';
import { Lookup, type LookupParts, RoomInUse, weightOfLabels } from './lookup.ts';

/** How soon labels are looked up again. */
const AGAIN_MS = { missing: 2_000, known: 30_000 };
const TIMEOUT_MS = 15_000;
/** More is not kept of a namespace (weight.ts). */
const MOST_BYTES = 1 << 14;

/** A drain that wants to know labels of namespaces. */
export interface LabelReader {
  /** The keys that its rules select by. */
  keys: ReadonlySet<string>;
  enqueue: () => void;
}

interface Known {
  labels: Labels;
  /** All labels are too many: they are those of these keys. */
  only?: ReadonlySet<LabelReader['keys']>;
}

interface Entry {
  lookup: Lookup<Known>;
  room: RoomInUse;
  readers: Set<LabelReader>;
}

/**
 * Labels of the namespaces of a target, which no watch keeps: looked up where a drain reads them, kept once for all drains, and no longer
 * than for the last of them.
 */
export class NamespaceLabels {
  readonly #target: Pick<Target, 'api' | 'room'>;
  readonly #parts: Omit<LookupParts, 'enqueue'>;
  readonly #entries = new Map<string, Entry>();

  constructor(target: Pick<Target, 'api' | 'room'>, parts: Omit<LookupParts, 'enqueue'>) {
    this.#target = target;
    this.#parts = parts;
  }

  /** The labels, with the name among them; undefined before they were looked up. */
  of(name: string, { keys }: LabelReader): Labels | undefined {
    const { labels, only } = this.#entries.get(name)?.lookup.value ?? {};
    return only === undefined || only.has(keys) ? labels : undefined;
  }

  /** Why the latest look-up failed, in words. */
  failure(name: string): string | undefined {
    return this.#entries.get(name)?.lookup.failure;
  }

  /** Being looked up just now. */
  isInFlight(name: string): boolean {
    return this.#entries.get(name)?.lookup.inFlight ?? false;
  }

  /** To be looked up now, or to be kept for this drain as well. */
  isDue(name: string, reader: LabelReader): boolean {
    const { lookup, readers } = this.#entries.get(name) ?? {};
    return !lookup || !readers?.has(reader) || lookup.isDue(this.#rest(name, reader));
  }

  /** Looks labels up for a drain, until whose end they are kept; it is enqueued when there is an answer. */
  lookUp(name: string, reader: LabelReader): void {
    const entry = this.#entries.get(name) ?? this.#begun();
    this.#entries.set(name, entry);
    entry.readers.add(reader);
    const { lookup } = entry;
    if (lookup.isDue(this.#rest(name, reader))) lookup.start((signal) => this.#read(name, entry, signal));
    else if (!lookup.inFlight) reader.enqueue();
  }

  #rest = (name: string, reader: LabelReader) => (this.of(name, reader) ? AGAIN_MS.known : AGAIN_MS.missing);

  /** The drain wants to know no more of these. */
  leave(names: Iterable<string>, reader: LabelReader): void {
    for (const name of names) {
      const entry = this.#entries.get(name);
      if (!entry?.readers.delete(reader) || entry.readers.size > 0) continue;
      this.#entries.delete(name);
      entry.lookup.drop();
      entry.room.free();
    }
  }

  #begun(): Entry {
    const readers = new Set<LabelReader>();
    const enqueue = () => {
      for (const reader of readers) reader.enqueue();
    };
    return { lookup: new Lookup({ ...this.#parts, enqueue }), room: new RoomInUse(this.#target.room), readers };
  }

  async #read(name: string, { lookup, room, readers }: Entry, signal: AbortSignal): Promise<Known> {
    const only = new Set([...readers].map(({ keys }) => keys));
    const all = { ...(await labelsOf(this.#target.api, name, signal)), [LABEL_NAMESPACE_NAME]: name };
    signal.throwIfAborted();
    const isLarge = weightOf(all) > MOST_BYTES;
    const labels = isLarge
      ? picked(all, new Set([LABEL_NAMESPACE_NAME, ...[...only].flatMap((keys) => [...keys])]))
      : all;
    if (isLarge && weightOf(labels) > MOST_BYTES) throw new Error('they are too large');
    room.hold(weightOfLabels([labels], 1));
    const before = lookup.value?.labels;
    return { labels: before && Bun.deepEquals(before, labels) ? before : labels, ...(isLarge && { only }) };
  }
}

async function labelsOf(api: Api, name: string, signal: AbortSignal): Promise<Labels> {
  try {
    return (await api.get(namespaces, { name }, { signal, timeoutMs: TIMEOUT_MS })).metadata.labels ?? {};
  } catch (error) {
    if (isNotFound(error)) return {};
    throw error;
  }
}
