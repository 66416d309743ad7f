import { HOT, inPlace, isObject, type JsonSchema, ofItem, ofProperty, referred } from './jsonschema.ts';
import { isSame, type Steps } from './same.ts';

/**
 * The places at which a providerSpec changed that may not change while a VM is made of it: all that its driver does not
 * mark `x-drover-hot-update: true`, there or above. A place that several schemas describe is hot only if all of them say
 * so. Paths go on after the field that holds the spec: `.node.labels[example.io/team]`, `.disks[0].size`. What takes too
 * much work to compare counts as cold as a whole.
 */
export const coldChanges = (before: unknown, after: unknown, schema: JsonSchema): string[] =>
  changesAt({ before, after, schemas: [schema], root: schema, work: { left: MOST_STEPS } });

/** Schemas that are looked at in one comparison, at most: well below 50 ms. */
const MOST_STEPS = 20_000;
/** As many values are compared in the time that one schema takes. */
const STEPS_PER_SCHEMA = 100;

interface Place {
  before: unknown;
  after: unknown;
  /** All that describe the value. */
  schemas: readonly JsonSchema[];
  root: JsonSchema;
  work: { left: number };
}

function changesAt(place: Place): string[] {
  const { before, after, schemas, root, work } = place;
  const steps: Steps = { taken: 0 };
  if (isSame(before, after, steps)) return [];
  work.left -= steps.taken / STEPS_PER_SCHEMA;
  if (work.left < 0) return [''];
  if (schemas.length > 0 && schemas.every((schema) => isHot(schema, root))) return [];
  if (isObject(before) && isObject(after)) return inObjects(place, before, after);
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length)
    return inLists(place, before, after);
  return [''];
}

function inObjects(place: Place, before: Record<string, unknown>, after: Record<string, unknown>): string[] {
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  const describing = describe(place, keys.size);
  if (!describing) return [''];
  return [...keys].flatMap((key) => {
    const schemas = describing.flatMap((schema) => ofProperty(schema, key));
    const below = { ...place, before: own(before, key), after: own(after, key), schemas };
    return changesAt(below).map((path) => `${segment(key)}${path}`);
  });
}

function inLists(place: Place, before: readonly unknown[], after: readonly unknown[]): string[] {
  const describing = describe(place, before.length);
  if (!describing) return [''];
  return before.flatMap((item, index) => {
    const schemas = describing.flatMap((schema) => ofItem(schema, index));
    return changesAt({ ...place, before: item, after: after[index], schemas }).map((path) => `[${index}]${path}`);
  });
}

/** All schemas that say something of a value with so many parts; undefined when that is too much work. */
function describe({ schemas, root, work }: Place, parts: number): JsonSchema[] | undefined {
  const describing = schemas.flatMap((schema) => inPlace(schema, root));
  work.left -= (1 + describing.length) * (1 + parts);
  return work.left < 0 ? undefined : describing;
}

/** Whether a schema marks what it describes, itself, through what it refers to, or in each of its alternatives. */
export function isHot(schema: JsonSchema, root: JsonSchema): boolean {
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
