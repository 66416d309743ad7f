import { HOT, inPlace, isObject, type JsonSchema, ofItem, ofProperty, referred } from './jsonschema.ts';

/**
 * The places at which a providerSpec changed that may not change while a VM is made of it: all that its driver does not
 * mark `x-drover-hot-update: true`, there or above. A place that several schemas describe is hot only if all of them say
 * so. Paths go on after the field that holds the spec: `.node.labels[example.io/team]`, `.disks[0].size`.
 */
export const coldChanges = (before: unknown, after: unknown, schema: JsonSchema): string[] =>
  changesAt({ before, after, schemas: [schema], root: schema });

interface Place {
  before: unknown;
  after: unknown;
  /** All that describe the value. */
  schemas: readonly JsonSchema[];
  root: JsonSchema;
}

function changesAt(place: Place): string[] {
  const { before, after, schemas, root } = place;
  if (Bun.deepEquals(before, after)) return [];
  if (schemas.length > 0 && schemas.every((schema) => isHot(schema, root))) return [];
  if (isObject(before) && isObject(after)) return inObjects(place, before, after);
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length)
    return inLists(place, before, after);
  return [''];
}

function inObjects({ schemas, root }: Place, before: Record<string, unknown>, after: Record<string, unknown>) {
  const describing = schemas.flatMap((schema) => inPlace(schema, root));
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((key) =>
    changesAt({
      before: own(before, key),
      after: own(after, key),
      schemas: describing.flatMap((schema) => ofProperty(schema, key)),
      root,
    }).map((below) => `${segment(key)}${below}`),
  );
}

function inLists({ schemas, root }: Place, before: readonly unknown[], after: readonly unknown[]) {
  const describing = schemas.flatMap((schema) => inPlace(schema, root));
  return before.flatMap((item, index) =>
    changesAt({
      before: item,
      after: after[index],
      schemas: describing.flatMap((schema) => ofItem(schema, index)),
      root,
    }).map((below) => `[${index}]${below}`),
  );
}

/** Whether a schema marks what it describes, itself, through what it refers to, or in each of its alternatives. */
function isHot(schema: JsonSchema, root: JsonSchema): boolean {
  if (schema[HOT] !== undefined) return schema[HOT] === true;
  const target = referred(schema, root);
  if (target && isHot(target, root)) return true;
  const hot = (part: unknown) => isObject(part) && isHot(part, root);
  const { allOf, anyOf, oneOf } = schema;
  if (Array.isArray(allOf) && allOf.some(hot)) return true;
  return [anyOf, oneOf].some((parts) => Array.isArray(parts) && parts.length > 0 && parts.every(hot));
}

/** A key as Kubernetes writes it in a path. */
export const segment = (key: string): string => (/^[A-Za-z_$][\w$-]*$/.test(key) ? `.${key}` : `[${key}]`);

const own = (object: Record<string, unknown>, key: string): unknown =>
  Object.hasOwn(object, key) ? object[key] : undefined;
