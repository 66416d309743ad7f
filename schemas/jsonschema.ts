import { isObject } from './same.ts';
/** JSON Schema (draft 2020-12) as drivers publish it: how one gets from a schema to those that it is made of. */

/** A subset of JSON Schema draft 2020-12 as driver authors write it; what it may hold say the bounds in providers/bounds.ts. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Marks what may change on a class in use (hack/decisions/0000 6). */
export const HOT = 'x-drover-hot-update';

/** What a keyword holds: one schema, a list, or a map of them. */
type Holds = 'one' | 'list' | 'map';

/** Keywords that hold schemas, by what they hold. */
const applicators: Readonly<Record<string, Holds>> = {
  $defs: 'map',
  allOf: 'list',
  anyOf: 'list',
  oneOf: 'list',
  not: 'one',
  if: 'one',
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: 'one',
  else: 'one',
  dependentSchemas: 'map',
  properties: 'map',
  patternProperties: 'map',
  additionalProperties: 'one',
  unevaluatedProperties: 'one',
  propertyNames: 'one',
  items: 'one',
  prefixItems: 'list',
  unevaluatedItems: 'one',
  contains: 'one',
};

/** Every keyword that a schema of a driver may have; beside them there are those that begin with `x-`, which say nothing. */
export const keywords: ReadonlySet<string> = new Set([
  ...Object.keys(applicators),
  ...['$schema', '$comment', '$ref', 'title', 'description', 'default', 'examples', 'deprecated', 'readOnly'],
  ...['writeOnly', 'format', 'type', 'enum', 'const', 'multipleOf', 'minimum', 'exclusiveMinimum', 'maximum'],
  ...['exclusiveMaximum', 'minLength', 'maxLength', 'pattern', 'minItems', 'maxItems', 'uniqueItems', 'minContains'],
  ...['maxContains', 'minProperties', 'maxProperties', 'required', 'dependentRequired'],
]);

/** A schema inside another one, with its JSON pointer from there; `true` and `false` are none. */
export interface Inner {
  at: string;
  schema: JsonSchema;
}

/** The schemas of which a schema is made, one level down. */
export const innerSchemas = (schema: JsonSchema): Inner[] =>
  Object.entries(schema).flatMap(([keyword, value]) => {
    const holds = holdsOf(keyword);
    if (holds === undefined) return [];
    const entries = holds === 'one' ? [['', value] as const] : Object.entries(value ?? {});
    return entries.flatMap(([key, inner]) =>
      isObject(inner) ? [{ at: `/${keyword}${holds === 'one' ? '' : `/${key}`}`, schema: inner }] : [],
    );
  });

/** The same schema with each of those one level down put through `change`. */
export const mapInner = (schema: JsonSchema, change: (inner: JsonSchema) => JsonSchema): JsonSchema =>
  Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => [keyword, mapped(holdsOf(keyword), value, change)]),
  );

function mapped(holds: Holds | undefined, value: unknown, change: (inner: JsonSchema) => JsonSchema): unknown {
  const one = (inner: unknown) => (isObject(inner) ? change(inner) : inner);
  if (holds === 'one') return one(value);
  if (holds === 'list') return Array.isArray(value) ? value.map(one) : value;
  if (holds !== 'map' || !isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, one(inner)]));
}

const holdsOf = (keyword: string): Holds | undefined =>
  Object.hasOwn(applicators, keyword) ? applicators[keyword] : undefined;

/** What `$ref` points to within the root; undefined unless it is `#/$defs/<name>` and there. */
export function referred(schema: JsonSchema, root: JsonSchema): JsonSchema | undefined {
  const { $ref } = schema;
  const name = typeof $ref === 'string' ? /^#\/\$defs\/([^/~%]+)$/.exec($ref)?.[1] : undefined;
  const defs = root['$defs'];
  const found = name !== undefined && isObject(defs) && Object.hasOwn(defs, name) ? defs[name] : undefined;
  return isObject(found) ? found : undefined;
}

/** Every schema that looks at the same value as this one: itself, what it refers to, its alternatives and conditions. */
export function inPlace(schema: JsonSchema, root: JsonSchema): JsonSchema[] {
  const listed = ['allOf', 'anyOf', 'oneOf'].flatMap((keyword) => list(schema[keyword]));
  const single = ['then', 'else'].map((keyword) => schema[keyword]);
  const dependent = isObject(schema['dependentSchemas']) ? Object.values(schema['dependentSchemas']) : [];
  const others = [referred(schema, root), ...listed, ...single, ...dependent].filter(isObject);
  return [schema, ...others.flatMap((other) => inPlace(other, root))];
}

/** Every schema that may describe a property of an object which this schema describes. */
export function ofProperty(schema: JsonSchema, key: string): JsonSchema[] {
  const { properties, patternProperties, additionalProperties } = schema;
  if (isObject(properties) && Object.hasOwn(properties, key)) return [properties[key]].filter(isObject);
  const patterns = isObject(patternProperties) ? Object.values(patternProperties) : [];
  return [...patterns, additionalProperties].filter(isObject);
}

/** Every schema that may describe an item of a list which this schema describes. */
export const ofItem = (schema: JsonSchema, index: number): JsonSchema[] => {
  const prefix = list(schema['prefixItems']);
  return [index < prefix.length ? prefix[index] : schema['items']].filter(isObject);
};

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
