import { HOT, innerSchemas, inPlace, type JsonSchema, ofItem, ofProperty, referred } from './jsonschema.ts';
import { isObject, isSame, type Steps } from './same.ts';

type Spec = Readonly<Record<string, unknown>>;

/** The part of a providerSpec that may change while VMs are made of it: what its driver marks `x-drover-hot-update`. */
export const hotPart = (spec: unknown, schema: JsonSchema): Spec => partOf(spec, schema, 'hot');

/** The rest: what a VM keeps from its creation to its end. */
export const coldPart = (spec: unknown, schema: JsonSchema): Spec => partOf(spec, schema, 'cold');

/** Whether a schema marks anything hot. */
export const marksHot = (schema: JsonSchema): boolean =>
  schema[HOT] === true || innerSchemas(schema).some((inner) => marksHot(inner.schema));

type Part = 'hot' | 'cold';

interface Position {
  value: unknown;
  /** All that describe the value. */
  schemas: readonly JsonSchema[];
  root: JsonSchema;
  which: Part;
}

function partOf(spec: unknown, schema: JsonSchema, which: Part): Spec {
  const part = partAt({ value: spec, schemas: [schema], root: schema, which });
  return isObject(part) ? part : {};
}

/** The part of a value that is asked for; undefined when there is none. Items of a list keep their places. */
function partAt(position: Position): unknown {
  const { value, schemas, root, which } = position;
  const is = (part: Part) => (part === which ? value : undefined);
  if (schemas.length === 0) return is('cold');
  if (schemas.every((schema) => isHot(schema, root))) return is('hot');
  if (Array.isArray(value)) return inList(position, value);
  return isObject(value) ? inObject(position, value) : is('cold');
}

function inList(position: Position, items: readonly unknown[]): unknown {
  const describing = describe(position);
  const parts = items.map((value, index) =>
    partAt({ ...position, value, schemas: describing.flatMap((schema) => ofItem(schema, index)) }),
  );
  const any = position.which === 'cold' || parts.some((part) => part !== undefined);
  return any ? parts.map((part) => part ?? null) : undefined;
}

function inObject(position: Position, object: Spec): unknown {
  const describing = describe(position);
  const parts = Object.entries(object).flatMap(([key, value]) => {
    const part = partAt({ ...position, value, schemas: describing.flatMap((schema) => ofProperty(schema, key)) });
    return part === undefined ? [] : [[key, part] as const];
  });
  return position.which === 'cold' || parts.length > 0 ? Object.fromEntries(parts) : undefined;
}

const describe = ({ schemas, root }: Position): JsonSchema[] => schemas.flatMap((schema) => inPlace(schema, root));

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

interface Changed {
  before: unknown;
  after: unknown;
  /** All that describe the value. */
  schemas: readonly JsonSchema[];
  root: JsonSchema;
  work: { left: number };
}

function changesAt(place: Changed): string[] {
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

function inObjects(place: Changed, before: Record<string, unknown>, after: Record<string, unknown>): string[] {
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  const describing = described(place, keys.size);
  if (!describing) return [''];
  return [...keys].flatMap((key) => {
    const schemas = describing.flatMap((schema) => ofProperty(schema, key));
    const below = { ...place, before: own(before, key), after: own(after, key), schemas };
    return changesAt(below).map((path) => `${segment(key)}${path}`);
  });
}

function inLists(place: Changed, before: readonly unknown[], after: readonly unknown[]): string[] {
  const describing = described(place, before.length);
  if (!describing) return [''];
  return before.flatMap((item, index) => {
    const schemas = describing.flatMap((schema) => ofItem(schema, index));
    return changesAt({ ...place, before: item, after: after[index], schemas }).map((path) => `[${index}]${path}`);
  });
}

/** All schemas that say something of a value with so many parts; undefined when that is too much work. */
function described({ schemas, root, work }: Changed, parts: number): JsonSchema[] | undefined {
  const describing = schemas.flatMap((schema) => inPlace(schema, root));
  work.left -= (1 + describing.length) * (1 + parts);
  return work.left < 0 ? undefined : describing;
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
