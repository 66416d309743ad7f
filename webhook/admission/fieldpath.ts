import { isObject } from '../../schemas/same.ts';
/** A field of an object, segment by segment. */
export type Path = readonly string[];

/** The segments of a field in Kubernetes' own form: `spec.template.metadata.labels[example.io/team]`. */
export const parsePath = (field: string): Path =>
  Array.from(field.matchAll(/\[([^[\]]*)\]|[^.[\]]+/g), ([segment, inBrackets]) => inBrackets ?? segment);

/** What stands there; undefined when a part of the way is missing or inherited. */
export function valueAt(object: unknown, path: Path): unknown {
  let value = object;
  for (const segment of path) {
    if (!isObject(value) || !Object.hasOwn(value, segment)) return undefined;
    value = value[segment];
  }
  return value;
}

/** The same place as a JSON pointer (RFC 6901). */
export const pointerTo = (path: Path): string =>
  path.map((segment) => `/${segment.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

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
    if (!isObject(parent)) return [];
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
