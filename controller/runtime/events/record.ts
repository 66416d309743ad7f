import type { Event, ObjectReference } from '../k8s/core.ts';
import { type KubeObject, microTimestamp } from '../k8s/object.ts';

/** What happened, as the one who saw it tells it. */
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

/** Same key, same story: events that differ in time only become one series. */
export const storyOf = ({ metadata, kind }: KubeObject, { type, reason, note }: Occurrence): string =>
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
 * Room for stories that wait to be told. Where it is full, the namespace of which most wait gives way to one of which fewer do: whatever
 * happens in one namespace, there is room for what happens in another (hack/decisions/0045).
 */
export class StoryRoom {
  readonly #namespaceOf = new Map<string, string>();
  /** Of each namespace, first come first. */
  readonly #lines = new Map<string, Set<string>>();

  /** Lets a story wait where fewer than so many do, or others give way; answers whether it waits, and which one no longer does. */
  enter(
    story: string,
    { namespace, most }: { namespace: string; most: number },
  ): { waits: boolean; givesWay?: string } {
    if (this.#namespaceOf.has(story)) return { waits: true };
    if (this.#namespaceOf.size < most) {
      this.#add(story, namespace);
      return { waits: true };
    }
    const longest = this.#longest();
    const [givesWay] = longest;
    if (givesWay === undefined || (this.#lines.get(namespace)?.size ?? 0) + 1 >= longest.size) return { waits: false };
    this.leave(givesWay);
    this.#add(story, namespace);
    return { waits: true, givesWay };
  }

  /** It is told, or given up. */
  leave(story: string): void {
    const namespace = this.#namespaceOf.get(story);
    if (namespace === undefined) return;
    this.#namespaceOf.delete(story);
    const line = this.#lines.get(namespace);
    line?.delete(story);
    if (line?.size === 0) this.#lines.delete(namespace);
  }

  #add(story: string, namespace: string): void {
    this.#namespaceOf.set(story, namespace);
    const line = this.#lines.get(namespace) ?? new Set();
    this.#lines.set(namespace, line.add(story));
  }

  #longest(): ReadonlySet<string> {
    let longest: ReadonlySet<string> = new Set();
    for (const line of this.#lines.values()) if (line.size > longest.size) longest = line;
    return longest;
  }
}
