import { innerSchemas, type JsonSchema, keywords, referred } from '../jsonschema.ts';
import { nearest } from '../nearest.ts';
import { isObject } from '../same.ts';

/**
 * What the schema that a driver publishes may be at most. It is text from outside that becomes code in the webhook, so
 * it is judged when the driver registers, never at admission.
 */
export const SCHEMA_BOUNDS = {
  /** As JSON. */
  bytes: 64 * 1024,
  /** Schemas inside schemas, references followed. */
  depth: 32,
  /** Properties in all of it. */
  properties: 300,
  /** Schemas in all of it, each counted as often as references lead to it. */
  schemas: 2_000,
} as const;

/** What a spec or nodeTemplate may be at most, so that judging it stays cheap. */
export const DOCUMENT_BOUNDS = {
  /** About the length of its JSON. */
  bytes: 256 * 1024,
  /** Objects and lists inside one another. */
  depth: 64,
} as const;

/** The only dialect. */
const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

/** Refuses, with an Error that says everything that is wrong, a schema beyond the bounds. `what` names it. */
export function assertWithinBounds(what: string, schema: JsonSchema): void {
  const faults = schemaFaults(schema);
  if (faults.length > 0) throw new Error(`the JSON Schema of the ${what} cannot be taken: ${faults.join('; ')}`);
}

/** Everything for which a schema cannot be taken; without any it is finite and small. */
export function schemaFaults(schema: JsonSchema): string[] {
  const bytes = new TextEncoder().encode(JSON.stringify(schema)).length;
  if (bytes > SCHEMA_BOUNDS.bytes) return [`it has ${bytes} bytes, and ${SCHEMA_BOUNDS.bytes} are the most`];
  const walk: Walk = { root: schema, faults: new Set(), schemas: 0 };
  visit(walk, schema, []);
  if (walk.faults.size > 0) return [...walk.faults];
  const properties = propertiesIn(schema);
  if (properties <= SCHEMA_BOUNDS.properties) return [];
  return [`it has ${properties} properties, and ${SCHEMA_BOUNDS.properties} are the most`];
}

interface Walk {
  root: JsonSchema;
  faults: Set<string>;
  /** Visited so far. */
  schemas: number;
}

/** Walks as a validator does at most: into every schema, as often as something leads there. `way` led here. */
function visit(walk: Walk, schema: JsonSchema, way: readonly { at: string; schema: JsonSchema }[]): void {
  const at = way.map((step) => step.at).join('') || '/';
  walk.schemas += 1;
  if (walk.schemas === SCHEMA_BOUNDS.schemas)
    walk.faults.add(`with references followed it has more than ${SCHEMA_BOUNDS.schemas} schemas`);
  if (walk.schemas >= SCHEMA_BOUNDS.schemas) return;
  for (const fault of keywordFaults(schema)) walk.faults.add(`${at}: ${fault}`);
  if (way.length > SCHEMA_BOUNDS.depth) {
    walk.faults.add(`${at}: it is nested deeper than ${SCHEMA_BOUNDS.depth} schemas`);
    return;
  }
  for (const inner of innerSchemas(schema)) visit(walk, inner.schema, [...way, inner]);
  if (schema['$ref'] !== undefined) follow(walk, schema, way);
}

function follow(walk: Walk, schema: JsonSchema, way: readonly { at: string; schema: JsonSchema }[]): void {
  const target = referred(schema, walk.root);
  const name = JSON.stringify(schema['$ref']);
  if (!target) walk.faults.add(`$ref ${name} does not lead to an entry of #/$defs of this schema`);
  else if (way.some((step) => step.schema === target)) walk.faults.add(`$ref ${name} leads back to itself`);
  else visit(walk, target, [...way, { at: `/$ref(${name})`, schema: target }]);
}

function keywordFaults(schema: JsonSchema): string[] {
  const unknown = Object.keys(schema).filter((keyword) => !keywords.has(keyword) && !keyword.startsWith('x-'));
  return [
    ...unknown.map(unknownFault),
    ...(schema['$schema'] !== undefined && schema['$schema'] !== DIALECT ? [`$schema must be ${DIALECT}`] : []),
    ...(schema['uniqueItems'] === true && schema['maxItems'] === undefined ? ['uniqueItems needs maxItems'] : []),
    ...Object.entries(schema)
      .filter(([, value]) => isObject(value) && Object.hasOwn(value, '$data'))
      .map(([keyword]) => `${keyword} may not be taken from the data ($data)`),
  ];
}

function unknownFault(keyword: string): string {
  const meant = nearest(keyword, [...keywords]);
  return `the keyword ${keyword} is not taken${meant === undefined ? '' : `; did you mean ${meant}?`}`;
}

const propertiesIn = (schema: JsonSchema): number =>
  (isObject(schema['properties']) ? Object.keys(schema['properties']).length : 0) +
  innerSchemas(schema).reduce((sum, inner) => sum + propertiesIn(inner.schema), 0);

/** What keeps a document from being judged at all; undefined when it is small enough. Stops where a bound is passed. */
export function documentFault(document: unknown): string | undefined {
  let bytes = ownBytes(document);
  let level = isContainer(document) ? [document] : [];
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > DOCUMENT_BOUNDS.depth) return `must not be nested deeper than ${DOCUMENT_BOUNDS.depth}`;
    const below: Container[] = [];
    for (const container of level) {
      bytes += innerBytes(container, below);
      if (bytes > DOCUMENT_BOUNDS.bytes) return TOO_LARGE;
    }
    level = below;
  }
  return bytes > DOCUMENT_BOUNDS.bytes ? TOO_LARGE : undefined;
}

const TOO_LARGE = `must not have more than ${DOCUMENT_BOUNDS.bytes / 1024} KiB; keep large data in a Secret, and name that`;

type Container = readonly unknown[] | Record<string, unknown>;

const isContainer = (value: unknown): value is Container => typeof value === 'object' && value !== null;

/** About what the parts of an object or a list take in JSON; those that have parts themselves are put into `below`. */
function innerBytes(container: Container, below: Container[]): number {
  const keys = isObject(container) ? Object.keys(container) : [];
  let bytes = keys.reduce((sum, key) => sum + key.length + 3, 0);
  for (const value of isObject(container) ? Object.values(container) : container) {
    bytes += ownBytes(value);
    if (isContainer(value)) below.push(value);
    if (bytes > DOCUMENT_BOUNDS.bytes) break;
  }
  return bytes;
}

/** Without its parts, with the comma after it. */
const ownBytes = (value: unknown): number => (typeof value === 'string' ? value.length + 3 : 2);
