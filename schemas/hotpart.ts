import { isHot } from './coldchanges.ts';
import { HOT, innerSchemas, inPlace, isObject, type JsonSchema, ofItem, ofProperty } from './jsonschema.ts';

/** The part of a providerSpec that may change while VMs are made of it: what its driver marks `x-drover-hot-update`. */
export function hotPart(spec: unknown, schema: JsonSchema): Readonly<Record<string, unknown>> {
  const part = partAt({ value: spec, schemas: [schema], root: schema });
  return isObject(part) ? part : {};
}

/** Whether a schema marks anything hot. */
export const marksHot = (schema: JsonSchema): boolean =>
  schema[HOT] === true || innerSchemas(schema).some((inner) => marksHot(inner.schema));

interface Place {
  value: unknown;
  /** All that describe the value. */
  schemas: readonly JsonSchema[];
  root: JsonSchema;
}

/** What is hot of a value; undefined when nothing is. Items of a list keep their places. */
function partAt({ value, schemas, root }: Place): unknown {
  if (schemas.length === 0) return undefined;
  if (schemas.every((schema) => isHot(schema, root))) return value;
  const describing = schemas.flatMap((schema) => inPlace(schema, root));
  if (Array.isArray(value)) {
    const parts = value.map((item, index) =>
      partAt({ value: item, schemas: describing.flatMap((schema) => ofItem(schema, index)), root }),
    );
    return parts.some((part) => part !== undefined) ? parts.map((part) => part ?? null) : undefined;
  }
  if (!isObject(value)) return undefined;
  const parts = Object.entries(value).flatMap(([key, item]) => {
    const part = partAt({ value: item, schemas: describing.flatMap((schema) => ofProperty(schema, key)), root });
    return part === undefined ? [] : [[key, part] as const];
  });
  return parts.length > 0 ? Object.fromEntries(parts) : undefined;
}
