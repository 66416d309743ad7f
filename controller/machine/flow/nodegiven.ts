import {
  ANNOTATION_APPLIED_CAPACITY,
  ANNOTATION_APPLIED_TEMPLATE,
  ANNOTATION_CREATED_BY,
  ANNOTATION_GIVEN,
} from '../../../schemas/keys.ts';
import type { Machine } from '../../../schemas/machine.ts';
import { isReservedTaint } from '../../../schemas/rules/machine.ts';
import { isKubeletLabel } from '../../../schemas/rules/nodelabel.ts';
import { isObject } from '../../../schemas/same.ts';
import { canonical, recordIn } from '../../model/template.ts';
import { amongTaints, isSameTaint, taintName } from '../../nodes/change.ts';
import { isNamed, isOlder } from '../../nodes/owner.ts';
import type { Node, Taint } from '../../runtime/k8s/core.ts';
import type { MachineView } from './view.ts';

/**
 * What a nodeTemplate has put on a Node of what no kubelet may change itself: any taint, and most labels of Kubernetes. The
 * record on the Node cannot be believed of these, for its kubelet may write that, and name what others have put there
 * (hack/decisions/0046). So it is noted on the Machine, before it is done.
 */
export interface Given {
  labels: readonly string[];
  /** By key and effect. */
  taints: readonly Taint[];
}

/** What the Machine's record says; nothing, where there is none or nobody can read it. */
export const givenOf = ({ metadata }: Machine): Given =>
  guardedIn(askedBy(readGiven(metadata.annotations?.[ANNOTATION_GIVEN])));

const guardedIn = ({ labels, taints }: Asked): Given => ({ labels: Object.keys(labels).filter(isGuarded), taints });

/** The record as a change of the Machine's annotations: as a nodeTemplate is written, without values. */
export const recordGiven = ({ labels, taints }: Given): Record<string, string | null> => {
  const metadata = { labels: Object.fromEntries(labels.map((key) => [key, ''])) };
  const spec = { taints: taints.map(({ key, effect }) => ({ key, effect })) };
  return { [ANNOTATION_GIVEN]: labels.length + taints.length > 0 ? JSON.stringify({ metadata, spec }) : null };
};

/**
 * What the record has to say before the Node is changed; undefined when it says so. What is asked for and lacking is about to be
 * given; what was given stays on record while it is asked for or still there. What others put there first stays theirs.
 */
export function givenTo(view: MachineView, { metadata, spec }: Node): Given | undefined {
  const given = givenOf(view.machine);
  const asked = askedGiven(view);
  const isThere = (key: string) => metadata.labels?.[key] !== undefined;
  const next = {
    labels: following(given.labels, asked.labels, { isThere, nameOf: (key) => key }),
    taints: following(given.taints, asked.taints, { isThere: amongTaints(spec?.taints), nameOf: taintName }),
  };
  const isKnown = next.labels.length === given.labels.length && next.taints.length === given.taints.length;
  const known = new Set(given.labels);
  const isSame = next.labels.every((key) => known.has(key)) && next.taints.every(amongTaints(given.taints));
  return isKnown && isSame ? undefined : next;
}

function following<T>(
  given: readonly T[],
  asked: readonly T[],
  { isThere, nameOf }: { isThere: (one: T) => boolean; nameOf: (one: T) => string },
): T[] {
  const wanted = new Set(asked.map(nameOf));
  const kept = given.filter((one) => wanted.has(nameOf(one)) || isThere(one));
  const known = new Set(kept.map(nameOf));
  return [...kept, ...asked.filter((one) => !known.has(nameOf(one)) && !isThere(one))];
}

/**
 * What is noted once the VM is the Machine's: what the template asks for by then, which MCM may have given, or the kubelet registers
 * with. It counts for nothing until the Node is seen; and what is noted already holds, as when a backup brought it.
 */
export function awaited(view: MachineView): Record<string, string> {
  const { machine } = view;
  const [text] = Object.values(recordGiven(askedGiven(view)));
  if (!text || machine.metadata.annotations?.[ANNOTATION_GIVEN] !== undefined) return {};
  const how = machine.spec?.providerID === undefined ? 'made' : 'found';
  return { [ANNOTATION_GIVEN]: JSON.stringify({ [how]: JSON.parse(text) }) };
}

/**
 * The labels, annotations and taints that were expected count as applied to a Node that is no older than the Machine: on an older Node they
 * are somebody else's. For a VM that existed before the Machine, MCM must have made both: it has written the Machine's name on the Node,
 * and the Machine was not created where the webhook would have noted by whom (hack/decisions/0028 T23). Undefined when nothing is expected.
 */
export function adopted({ machine }: Pick<MachineView, 'machine'>, node: Node): Given | undefined {
  const { made, found } = awaitedBy(machine);
  if (made === undefined && found === undefined) return undefined;
  const isMcms = isNamed(node, machine) && machine.metadata.annotations?.[ANNOTATION_CREATED_BY] === undefined;
  const asked = isOlder(node, machine) ? undefined : (made ?? (isMcms ? found : undefined));
  return guardedIn(askedBy(asked));
}

/** Taints that a Machine may ask for: not those that controllers put on Nodes and take off by themselves. */
export const ownTaints = ({ startupTaint }: Pick<MachineView, 'startupTaint'>, taints: readonly Taint[]): Taint[] =>
  taints.filter((one) => !isReservedTaint(one.key) && !(startupTaint && isSameTaint(one, startupTaint)));

/** Taints that the template asks for. */
export const askedTaints = (view: Pick<MachineView, 'startupTaint' | 'machine'>): Taint[] =>
  ownTaints(view, askedBy(view.machine.spec?.nodeTemplate).taints);

const askedGiven = (view: MachineView): Given => ({
  labels: Object.keys(askedBy(view.machine.spec?.nodeTemplate).labels).filter(isGuarded),
  taints: askedTaints(view),
});

const isGuarded = (key: string): boolean => !isKubeletLabel(key);

/** What the record says of a Node that nobody has seen yet, in either case as a nodeTemplate. */
function awaitedBy({ metadata }: Machine): { made?: unknown; found?: unknown } {
  const read = readGiven(metadata.annotations?.[ANNOTATION_GIVEN]);
  return typeof read === 'object' && read !== null ? read : {};
}

const readGiven = (text = '{}'): unknown => recordIn(text);

/** What a nodeTemplate asks of a Node. */
export interface Asked {
  labels: Readonly<Record<string, string>>;
  annotations: Readonly<Record<string, string>>;
  taints: readonly Taint[];
}

type Json = Readonly<Record<string, unknown>>;

/** Of a template in whatever state: what can be read of it; of several taints of a key and effect the last one. */
export function askedBy(template: unknown): Asked {
  const { metadata, spec } = mapOf(template);
  const taints = mapOf(spec)['taints'];
  const read = (Array.isArray(taints) ? taints : []).filter(isTaint);
  return {
    labels: textsOf(mapOf(metadata)['labels']),
    annotations: textsOf(mapOf(metadata)['annotations']),
    taints: [...new Map(read.map((taint) => [`${taint.key}:${taint.effect}`, taint])).values()],
  };
}

/** What the Node's record says was last asked of it (hack/spec/mcm.md 6.9); undefined when the record cannot be read. */
export const lastAsked = readOnce((node) => {
  const template = appliedOf(node, ANNOTATION_APPLIED_TEMPLATE);
  return template && askedBy(template);
});

/** The virtual capacity that the Node's record says was last written; undefined when the record cannot be read. */
export const lastCapacity = readOnce((node) => {
  const capacity = appliedOf(node, ANNOTATION_APPLIED_CAPACITY);
  return capacity && textsOf(capacity);
});

/** Reads a record once for each version of a Node: it may be long, and caches share objects that nobody changes (hack/decisions/0028 T82). */
function readOnce<T>(read: (node: Node) => T): (node: Node) => T {
  const known = new WeakMap<Node, { record: T }>();
  return (node) => {
    const found = known.get(node) ?? { record: read(node) };
    known.set(node, found);
    return found.record;
  };
}

/** Equal in what counts, whoever wrote it: Go and JavaScript order and fill JSON in their own ways. */
export const isSameAsked = (a: Asked, b: Asked): boolean => isAsMuch(a, b) && canonical(a) === canonical(b);

/** Nearly always; else none of it need be sorted. */
const isAsMuch = (a: Asked, b: Asked): boolean =>
  a.taints.length === b.taints.length &&
  (['labels', 'annotations'] as const).every((map) => Object.keys(a[map]).length === Object.keys(b[map]).length);

/** All annotations of an object have no more bytes (apimachinery TotalAnnotationSizeLimitB): a longer record no API server has kept. */
const MOST_RECORD = 256 * 1024;

/** No record is an empty one. */
function appliedOf({ metadata }: Node, key: string): Json | undefined {
  const text = metadata.annotations?.[key];
  if (!text) return {};
  if (text.length > MOST_RECORD) return undefined;
  const record = recordIn(text);
  return isObject(record) ? record : undefined;
}

const mapOf = (value: unknown): Json => (isObject(value) ? value : {});

/** Quantities may be written as numbers. */
const textsOf = (value: unknown): Record<string, string> =>
  Object.fromEntries(
    Object.entries(mapOf(value))
      .filter(([, text]) => typeof text === 'string' || typeof text === 'number')
      .map(([key, text]) => [key, `${text}`]),
  );

function isTaint(value: unknown): value is Taint {
  const { key, effect } = mapOf(value);
  return typeof key === 'string' && typeof effect === 'string';
}
