import { type ConversionConfig, type JsonSchema, toJsonSchema } from '@valibot/to-json-schema';
import type * as v from 'valibot';

/**
 * From valibot to the structural schema of a CRD (Kubernetes documentation, "Specifying a structural schema").
 * Whatever a CRD cannot say is refused here with a sentence, instead of being dropped in silence.
 */

/** The keywords of a CRD's schema that we use (apiextensions.k8s.io/v1 JSONSchemaProps). */
export interface Structural {
  title?: string;
  type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  description?: string;
  properties?: Record<string, Structural>;
  additionalProperties?: Structural;
  items?: Structural;
  required?: string[];
  anyOf?: Structural[];
  enum?: unknown[];
  default?: unknown;
  example?: unknown;
  nullable?: boolean;
  format?: string;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: boolean;
  exclusiveMaximum?: boolean;
  multipleOf?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  minProperties?: number;
  maxProperties?: number;
  'x-kubernetes-int-or-string'?: true;
  'x-kubernetes-preserve-unknown-fields'?: true;
  'x-kubernetes-list-type'?: 'map' | 'set' | 'atomic';
  'x-kubernetes-list-map-keys'?: string[];
  'x-kubernetes-map-type'?: 'atomic' | 'granular';
  'x-kubernetes-validations'?: Array<{ rule: string; message: string; fieldPath?: string }>;
}

const passedOn: ReadonlySet<string> = new Set<keyof Structural>([
  'title',
  'type',
  'description',
  'enum',
  'default',
  'nullable',
  'pattern',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
  'x-kubernetes-int-or-string',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-map-type',
  'x-kubernetes-validations',
]);

/** Formats that the API server checks; it warns of any other. */
const formats: ReadonlySet<unknown> = new Set([
  'date',
  'date-time',
  'duration',
  'email',
  'ipv4',
  'ipv6',
  'int32',
  'int64',
  'uri',
  'uuid',
]);

/** What JavaScript's expressions have and RE2, which the API server uses, has not. */
const beyondRe2 = /\(\?<?[=!]|\\[1-9]|\\k<|\\u|\{(?:\d*,)?\d{4,}\}/;

type Json = Record<string, unknown>;
type Keyword = (value: unknown, schema: Json, path: string) => Structural;

/** The structural schema of a valibot schema; throws an Error that names the field for what a CRD cannot say. */
export function structuralSchema(schema: v.GenericSchema): Structural {
  return convert(toJsonSchema(schema, conversion) as Json, '');
}

const conversion: ConversionConfig = {
  target: 'openapi-3.0',
  overrideSchema: ({ valibotSchema: { type }, jsonSchema }) => {
    if (type.includes('tuple')) throw new Error(`a CRD cannot say what a ${type} is: use an array or an object`);
    return type === 'loose_object'
      ? loosely({ ...jsonSchema, 'x-kubernetes-preserve-unknown-fields': true })
      : undefined;
  },
  overrideAction: ({ valibotAction: { type, ...action }, jsonSchema }) => {
    const requirement = 'requirement' in action ? action.requirement : undefined;
    if (type === 'gt_value') return loosely({ ...jsonSchema, minimum: requirement, exclusiveMinimum: true });
    if (type === 'lt_value') return loosely({ ...jsonSchema, maximum: requirement, exclusiveMaximum: true });
    if (requirement instanceof RegExp && requirement.flags && jsonSchema.pattern === requirement.source) {
      throw new Error(`a CRD's pattern has no flags: write ${requirement} without "${requirement.flags}"`);
    }
    return undefined;
  },
};

/** The converter's type knows JSON Schema only; OpenAPI 3.0 says exclusive limits with a flag. */
const loosely = (schema: Json): JsonSchema => schema as JsonSchema;

function convert(schema: Json, path: string): Structural {
  if (Object.keys(schema).every((key) => key === 'description')) return anything(schema);
  const parts = Object.entries(schema).map(([key, value]) => keyword(key, path)(value, schema, path));
  const result: Structural = Object.assign({}, ...parts);
  if (result.type === undefined && !result['x-kubernetes-int-or-string'])
    throw refusal(path, 'a schema without a type');
  if (result.properties && result.additionalProperties) throw refusal(path, 'an object with rest');
  return inWords(result);
}

/**
 * A pattern whose title gives an example becomes a rule in CEL that says the title: the API server answers a pattern
 * with the bare expression. What the rule costs depends on the text's length and on how many there may be, so the values
 * of a map without bounds keep their pattern, under a title without an example.
 */
function inWords(schema: Structural): Structural {
  const { pattern, ...rest } = schema;
  const { title = '', 'x-kubernetes-validations': rules = [] } = rest;
  if (pattern === undefined || !title.includes(' such as ')) return schema;
  const fits = `self.matches(${JSON.stringify(pattern)})`;
  const rule = rest['x-kubernetes-int-or-string'] ? `type(self) == int || ${fits}` : fits;
  return { ...rest, 'x-kubernetes-validations': [{ rule, message: `must be a ${title}` }, ...rules] };
}

const anything = (schema: Json): Structural => ({ ...schema, 'x-kubernetes-preserve-unknown-fields': true });

const keywords: Readonly<Record<string, Keyword>> = {
  properties: (value, _schema, path) => ({
    properties: Object.fromEntries(
      Object.entries(value as Record<string, Json>).map(([name, field]) => [name, convert(field, `${path}.${name}`)]),
    ),
  }),
  items: (value, _schema, path) => ({ items: convert(value as Json, `${path}[]`) }),
  additionalProperties: (value, _schema, path) => {
    if (value === false) return {}; // the API server prunes unknown fields, or refuses them under strict validation
    const values = convert(value as Json, `${path}.*`);
    return values.type || values['x-kubernetes-int-or-string'] ? { additionalProperties: values } : anything({});
  },
  required: (value) => ((value as string[]).length > 0 ? { required: value as string[] } : {}),
  enum: (value, { type }) => ({ enum: value as unknown[], ...(type ? {} : typeOfAll(value as unknown[])) }),
  examples: (value) => ({ example: (value as unknown[])[0] }),
  anyOf: (value, _schema, path) => intOrString(value as Json[], path),
  format: (value, _schema, path) => {
    if (!formats.has(value)) throw refusal(path, `the format ${value}`);
    return { format: value as string };
  },
  pattern: (value, _schema, path) => {
    if (beyondRe2.test(value as string))
      throw refusal(path, `look-around, a back reference, \\u or a thousand repeats in ${value}`);
    return { pattern: value as string };
  },
};

function keyword(name: string, path: string): Keyword {
  const known = keywords[name];
  if (known) return known;
  if (passedOn.has(name)) return (value) => ({ [name]: value });
  throw refusal(path, name === 'oneOf' ? 'a variant (write one object and a CEL rule)' : `the keyword ${name}`);
}

/** The only union that a CRD knows: a whole number or a string; the limits of both move up beside it. */
function intOrString(options: Json[], path: string): Structural {
  const [number, text] = options;
  if (options.length !== 2 || number?.['type'] !== 'integer' || text?.['type'] !== 'string') {
    throw refusal(path, 'a union other than one of an integer and a string');
  }
  const { type: _integer, ...range } = convert(number, path);
  const { type: _string, ...form } = convert(text, path);
  const either: Structural[] = [{ type: 'integer' }, { type: 'string' }];
  return { 'x-kubernetes-int-or-string': true, anyOf: either, ...range, ...form };
}

function typeOfAll(values: unknown[]): Structural {
  const [type, ...others] = [...new Set(values.map((value) => typeof value))];
  const known = type === 'string' || type === 'number' || type === 'boolean';
  return known && others.length === 0 ? { type } : {};
}

const refusal = (path: string, what: string): Error =>
  new Error(`${path === '' ? 'the schema itself' : path.slice(1)}: a CRD cannot say ${what}`);
