import type { KubeObject } from '../k8s/object.ts';

/** A page of a list (metav1 ListMeta, and the items). */
export interface Page<T extends KubeObject> {
  metadata: { resourceVersion: string; continue?: string };
  items: T[];
}

/**
 * The page that an answer is. Throws an Error for anything else: what is taken for an empty list empties a cache, and what
 * stands between may answer with JSON of its own.
 */
export function pageIn<T extends KubeObject>(answer: unknown): Page<T> {
  const { kind = 'List', metadata, items } = (answer ?? {}) as Partial<Page<T>> & { kind?: string };
  // An API server encodes a list that was never filled as null.
  const isList = kind.endsWith('List') && (items === null || Array.isArray(items));
  if (!isList || typeof metadata?.resourceVersion !== 'string') throw new Error('it is not a list');
  return { metadata, items: items ?? [] };
}
