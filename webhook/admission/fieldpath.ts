/** A field of an object, segment by segment. */
export type Path = readonly string[];

/** The segments of a field in Kubernetes' own form: `spec.template.metadata.labels[example.io/team]`. */
export const parsePath = (field: string): Path =>
  Array.from(field.matchAll(/\[([^[\]]*)\]|[^.[\]]+/g), ([segment, inBrackets]) => inBrackets ?? segment);

/** What stands there; undefined when a part of the way is missing or inherited. */
export function valueAt(object: unknown, path: Path): unknown {
  let value = object;
  for (const segment of path) {
    if (!isRecord(value) || !Object.hasOwn(value, segment)) return undefined;
    value = value[segment];
  }
  return value;
}

/** A JSON object: no array, no null. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The same place as a JSON pointer (RFC 6901). */
export const pointerTo = (path: Path): string =>
  path.map((segment) => `/${segment.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
