import { ANNOTATION_APPLIED_CAPACITY, ANNOTATION_APPLIED_TEMPLATE } from '../../../schemas/keys.ts';
import { canonical } from '../../model/hash.ts';
import type { Node, Taint } from '../../runtime/k8s/core.ts';

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

/** What the Node's record says was last asked of it (MCM 6.9); undefined when the record cannot be read. */
export function lastAsked(node: Node): Asked | undefined {
  const template = appliedOf(node, ANNOTATION_APPLIED_TEMPLATE);
  return template && askedBy(template);
}

/** The virtual capacity that the Node's record says was last written; undefined when the record cannot be read. */
export function lastCapacity(node: Node): Readonly<Record<string, string>> | undefined {
  const capacity = appliedOf(node, ANNOTATION_APPLIED_CAPACITY);
  return capacity && textsOf(capacity);
}

/** Equal in what counts, whoever wrote it: Go and JavaScript order and fill JSON in their own ways. */
export const isSameAsked = (a: Asked, b: Asked): boolean => canonical(a) === canonical(b);

/** No record is an empty one. */
function appliedOf({ metadata }: Node, key: string): Json | undefined {
  const text = metadata.annotations?.[key];
  if (!text) return {};
  try {
    const record: unknown = JSON.parse(text);
    return isMap(record) ? record : undefined;
  } catch {
    return undefined;
  }
}

const mapOf = (value: unknown): Json => (isMap(value) ? value : {});

const isMap = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);

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
