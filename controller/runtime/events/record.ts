import type { Event, ObjectReference } from '../k8s/core.ts';
import { type KubeObject, microTimestamp } from '../k8s/object.ts';

/** What happened to an object. */
export interface Occurrence {
  type: 'Normal' | 'Warning';
  /** Why, in one CamelCase word. */
  reason: string;
  /** For people; cut at 1,024 bytes. */
  note: string;
  /** What was done, in one CamelCase word; the reason when absent. */
  action?: string;
}

/** Who reports an event, and when. */
export interface Report {
  /** For example `drover.dev/controller`. */
  controller: string;
  /** For example the pod's name. */
  instance: string;
  now: number;
  /** Makes the event's name its own: uniform in [0, 1). */
  chance: number;
}

/** Limits of events.k8s.io/v1 (kubernetes pkg/apis/core/validation/events.go), in bytes; names are DNS subdomains. */
const LONGEST = { note: 1024, instance: 128, name: 253 };

/** The series that an event belongs to: events of the same key differ in time only. */
export const seriesKeyOf = ({ metadata, kind }: KubeObject, { type, reason, note }: Occurrence): string =>
  [metadata.uid ?? `${kind}/${metadata.namespace}/${metadata.name}`, type, reason, note].join('\0');

/** The Event object of a first occurrence; that of an object without a namespace stands in `default`. */
export function eventOf(regarding: KubeObject, occurrence: Occurrence, report: Report): Event {
  const { type, reason, note, action = reason } = occurrence;
  const namespace = regarding.metadata.namespace ?? 'default';
  return {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { namespace, name: nameOf(regarding.metadata.name, report) },
    eventTime: microTimestamp(report.now),
    reportingController: report.controller,
    reportingInstance: report.instance.slice(0, LONGEST.instance),
    type,
    reason,
    action,
    note: cut(note, LONGEST.note),
    regarding: referenceTo(regarding),
  };
}

function referenceTo({ apiVersion, kind, metadata }: KubeObject): ObjectReference {
  const { namespace, name, uid, resourceVersion } = metadata;
  return { apiVersion, kind, namespace, name, uid, resourceVersion };
}

/** The object's name and a number from the time, as client-go forms it. */
function nameOf(name: string, { now, chance }: Report): string {
  const end = `.${(BigInt(Math.floor(now)) * 1_000_000n + BigInt(Math.floor(chance * 1_000_000))).toString(16)}`;
  // No part of a DNS name ends in one of those.
  const [fitting = ''] = name.slice(0, LONGEST.name - end.length).match(/^.*[^-.]/) ?? [];
  return fitting + end;
}

/** At most so many bytes of a text, with an ellipsis where it was cut. */
function cut(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) return text;
  const ellipsis = '…';
  const whole = Buffer.from(text).subarray(0, bytes - Buffer.byteLength(ellipsis));
  return new TextDecoder().decode(whole, { stream: true }) + ellipsis;
}

/**
 * The series that wait to be written, by key. When the backlog is full, the namespace with the most of them loses one to a namespace with
 * fewer, so that no namespace crowds out another (hack/decisions/0045).
 */
export class Backlog {
  readonly #namespaceOf = new Map<string, string>();
  /** Keys by namespace, oldest first. */
  readonly #lines = new Map<string, Set<string>>();

  /** Adds a series if fewer than `most` wait, or another is dropped for it; returns whether it waits, and which one was dropped. */
  add(key: string, { namespace, most }: { namespace: string; most: number }): { waits: boolean; dropped?: string } {
    if (this.#namespaceOf.has(key)) return { waits: true };
    if (this.#namespaceOf.size < most) {
      this.#append(key, namespace);
      return { waits: true };
    }
    const longest = this.#longest();
    const [dropped] = longest;
    if (dropped === undefined || (this.#lines.get(namespace)?.size ?? 0) + 1 >= longest.size) return { waits: false };
    this.remove(dropped);
    this.#append(key, namespace);
    return { waits: true, dropped };
  }

  /** The series is being written, or was given up. */
  remove(key: string): void {
    const namespace = this.#namespaceOf.get(key);
    if (namespace === undefined) return;
    this.#namespaceOf.delete(key);
    const line = this.#lines.get(namespace);
    line?.delete(key);
    if (line?.size === 0) this.#lines.delete(namespace);
  }

  #append(key: string, namespace: string): void {
    this.#namespaceOf.set(key, namespace);
    const line = this.#lines.get(namespace) ?? new Set();
    this.#lines.set(namespace, line.add(key));
  }

  #longest(): ReadonlySet<string> {
    let longest: ReadonlySet<string> = new Set();
    for (const line of this.#lines.values()) if (line.size > longest.size) longest = line;
    return longest;
  }
}
