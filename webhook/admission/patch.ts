import { isRecord, type Path, pointerTo } from './fieldpath.ts';

/** One operation of a JSON patch (RFC 6902); `add` takes the place of what stands there. */
export interface PatchOperation {
  op: 'add';
  path: string;
  value: unknown;
}

/**
 * Sets a field in the object itself, with the parents that are missing, and says what it did. A parent of another type
 * is left for the schema to refuse.
 */
export function put(object: unknown, path: Path, value: unknown): PatchOperation[] {
  let parent = object;
  for (const [index, segment] of path.entries()) {
    if (!isRecord(parent)) return [];
    const below = path.slice(index + 1);
    const next = parent[segment] ?? undefined;
    if (next === undefined || below.length === 0) {
      const filled = below.reduceRight((inner, name) => ({ [name]: inner }), value);
      parent[segment] = filled;
      // A copy, for more may be put below it later, and said so.
      return [{ op: 'add', path: pointerTo(path.slice(0, index + 1)), value: structuredClone(filled) }];
    }
    parent = next;
  }
  return [];
}
