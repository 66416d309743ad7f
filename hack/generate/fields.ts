import type { Structural } from '../../schemas/structural.ts';

/** One field of a kind, as a reference shows it. */
export interface Field {
  /** From the object's root; `[]` stands for each entry of a list, `*` for each key of a map. */
  path: string;
  type: string;
  /** The default, if any. */
  fallback: unknown;
  rules: string[];
  sentence: string;
}

/** Every field under a schema, parents before their parts. What the API server itself knows is left out. */
export function fieldsOf(schema: Structural): Field[] {
  const { apiVersion: _version, kind: _kind, metadata: _metadata, ...own } = schema.properties ?? {};
  const comparisons = comparisonsOf(schema, '');
  return partsOf({ ...schema, properties: own }, '').map((field) => ({
    ...field,
    rules: [...field.rules, ...comparisons.filter(({ path }) => path === field.path).map(({ text }) => text)],
  }));
}

/** A schema and where it stands. */
export type Place = [path: string, schema: Structural];

/** The schemas right below a schema. */
export function placesIn(schema: Structural, path: string): Place[] {
  if (schema.items) return [[`${path}[]`, schema.items]];
  if (schema.additionalProperties) return [[`${path}.*`, schema.additionalProperties]];
  return Object.entries(schema.properties ?? {}).map(([name, part]) => [path ? `${path}.${name}` : name, part]);
}

function partsOf(schema: Structural, path: string): Field[] {
  return placesIn(schema, path).flatMap(([at, part]) => {
    const named = schema.properties !== undefined;
    const required = schema.required?.some((name) => at === (path ? `${path}.${name}` : name)) ?? false;
    return [...(named ? [field(part, at, required)] : []), ...partsOf(part, at)];
  });
}

const field = (schema: Structural, path: string, required: boolean): Field => ({
  path,
  type: typeOf(schema),
  fallback: schema.default,
  rules: [...(required ? ['required'] : []), ...limits(schema)],
  sentence: schema.description ?? '',
});

/** CEL rules by the field that they are about. */
function comparisonsOf(schema: Structural, path: string): Array<{ path: string; text: string }> {
  const here = (schema['x-kubernetes-validations'] ?? [])
    .filter(({ message }) => message !== `must be a ${schema.title}`) // which the type says
    .map(({ message, fieldPath = '' }) => ({
      path: `${path}${fieldPath}`.replace(/^\.|\[\]$/g, ''),
      text: `*${message}*`,
    }));
  return [...here, ...placesIn(schema, path).flatMap(([at, part]) => comparisonsOf(part, at))];
}

function typeOf({ title, items, additionalProperties, properties, type }: Structural): string {
  if (title) return title.replace(/ such as [^,]+/, '');
  if (items) return `list of ${typeOf(items)}`;
  if (additionalProperties) return `map of ${typeOf(additionalProperties)}`;
  return type === 'object' && !properties ? 'any object' : (type ?? 'anything');
}

/** What a value must satisfy, in words; the rest is said by the type's title. */
function limits(schema: Structural): string[] {
  const { title, enum: options, pattern, minimum, maximum, items } = schema;
  const keys = schema['x-kubernetes-list-map-keys'];
  return [
    ...(options ? [`one of ${options.map((option) => `\`${JSON.stringify(option)}\``).join(', ')}`] : []),
    ...(pattern && !title ? [`matches \`${pattern}\``] : []),
    ...(minimum !== undefined && !title ? [`at least ${minimum}`] : []),
    ...(maximum !== undefined && !title ? [`at most ${maximum}`] : []),
    ...sizes(schema),
    ...(keys ? [`no two of the same ${keys.join(' and ')}`] : []),
    ...(items && !items.properties ? limits(items).map((limit) => `each: ${limit}`) : []),
  ];
}

const sizes = ({ minLength, maxLength, minItems, maxItems, maxProperties }: Structural): string[] => [
  ...(minLength !== undefined ? [`at least ${characters(minLength)}`] : []),
  ...(maxLength !== undefined ? [`at most ${characters(maxLength)}`] : []),
  ...(minItems !== undefined ? [`at least ${minItems} entries`] : []),
  ...(maxItems !== undefined ? [`at most ${maxItems} entries`] : []),
  ...(maxProperties !== undefined ? [`at most ${maxProperties} entries`] : []),
];

const characters = (many: number): string => `${many} character${many === 1 ? '' : 's'}`;
