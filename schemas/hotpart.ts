import { isHot } from './coldchanges.ts';
import { HOT, innerSchemas, inPlace, isObject, type JsonSchema, ofItem, ofProperty } from './jsonschema.ts';

type Spec = Readonly<Record<string, unknown>>;

/** The part of a providerSpec that may change while VMs are made of it: what its driver marks `x-drover-hot-update`. */
export const hotPart = (spec: unknown, schema: JsonSchema): Spec => partOf(spec, schema, 'hot');

/** The rest: what a VM keeps from its creation to its end. */
export const coldPart = (spec: unknown, schema: JsonSchema): Spec => partOf(spec, schema, 'cold');

/** Whether a schema marks anything hot. */
export const marksHot = (schema: JsonSchema): boolean =>
  schema[HOT] === true || innerSchemas(schema).some((inner) => marksHot(inner.schema));

type Part = 'hot' | 'cold';

interface Place {
  value: unknown;
  /** All that describe the value. */
  schemas: readonly JsonSchema[];
  root: JsonSchema;
  wanted: Part;
}

function partOf(spec: unknown, schema: JsonSchema, wanted: Part): Spec {
  const part = partAt({ value: spec, schemas: [schema], root: schema, wanted });
  return isObject(part) ? part : {};
}

/** What of a value is wanted; undefined when nothing is. Items of a list keep their places. */
function partAt(place: Place): unknown {
  const { value, schemas, root, wanted } = place;
  const is = (part: Part) => (part === wanted ? value : undefined);
  if (schemas.length === 0) return is('cold');
  if (schemas.every((schema) => isHot(schema, root))) return is('hot');
  if (Array.isArray(value)) return inList(place, value);
  return isObject(value) ? inObject(place, value) : is('cold');
}

function inList(place: Place, items: readonly unknown[]): unknown {
  const describing = describe(place);
  const parts = items.map((value, index) =>
    partAt({ ...place, value, schemas: describing.flatMap((schema) => ofItem(schema, index)) }),
  );
  const any = place.wanted === 'cold' || parts.some((part) => part !== undefined);
  return any ? parts.map((part) => part ?? null) : undefined;
}

function inObject(place: Place, object: Spec): unknown {
  const describing = describe(place);
  const parts = Object.entries(object).flatMap(([key, value]) => {
    const part = partAt({ ...place, value, schemas: describing.flatMap((schema) => ofProperty(schema, key)) });
    return part === undefined ? [] : [[key, part] as const];
  });
  return place.wanted === 'cold' || parts.length > 0 ? Object.fromEntries(parts) : undefined;
}

const describe = ({ schemas, root }: Place): JsonSchema[] => schemas.flatMap((schema) => inPlace(schema, root));
