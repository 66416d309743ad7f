import { describe, expect, test } from 'bun:test';
import type { JsonSchema } from '../jsonschema.ts';
import { assertWithinBounds, DOCUMENT_BOUNDS, documentFault, SCHEMA_BOUNDS, schemaFaults } from './bounds.ts';
import { providers } from './index.ts';

const nested = (levels: number): JsonSchema => (levels === 0 ? {} : { not: nested(levels - 1) });

const properties = (count: number): JsonSchema => ({
  properties: Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, {}])),
});

/** Definitions of which each leads to the next twice. */
const doubling = (count: number): JsonSchema => ({
  $ref: '#/$defs/d0',
  $defs: Object.fromEntries(
    Array.from({ length: count }, (_, index) => {
      const next = { $ref: `#/$defs/d${index + 1}` };
      return [`d${index}`, index + 1 < count ? { allOf: [next, next] } : {}];
    }),
  ),
});

describe('a schema that is taken', () => {
  test.each(providers.map((provider) => [provider.name, provider]))('what %s publishes', (_name, provider) => {
    expect(schemaFaults(provider.providerSpec)).toEqual([]);
    expect(schemaFaults(provider.nodeTemplate ?? {})).toEqual([]);
  });

  test.each<[string, JsonSchema]>([
    ['an empty one', {}],
    ['one that is as deep as may be', nested(SCHEMA_BOUNDS.depth)],
    ['one with as many properties as may be', properties(SCHEMA_BOUNDS.properties)],
    ['one with references', { properties: { a: { $ref: '#/$defs/a' } }, $defs: { a: { type: 'string' } } }],
    ['one with keywords of its own', { 'x-drover-hot-update': true, 'x-mine': { any: 'thing' } }],
    ['one with a property that is named as a keyword', { properties: { $id: {}, $async: {}, nullable: {} } }],
    ['a list of different items that has an end', { uniqueItems: true, maxItems: 10 }],
  ])('%s', (_what, schema) => {
    expect(schemaFaults(schema)).toEqual([]);
  });
});

describe('a schema that is not taken', () => {
  test.each<[string, JsonSchema, string]>([
    ['one that is too long', { description: 'é'.repeat(40_000) }, 'it has 80018 bytes, and 65536 are the most'],
    ['one that is too deep', nested(SCHEMA_BOUNDS.depth + 1), 'nested deeper than 32 schemas'],
    [
      'one with too many properties',
      properties(SCHEMA_BOUNDS.properties + 1),
      'it has 301 properties, and 300 are the most',
    ],
    ['one that references make large', doubling(20), 'with references followed it has more than 2000 schemas'],
    [
      'one that leads to itself',
      { $defs: { a: { items: { $ref: '#/$defs/a' } } } },
      '$ref "#/$defs/a" leads back to itself',
    ],
    ['a reference to the root', { properties: { a: { $ref: '#' } } }, '$ref "#" does not lead to an entry of #/$defs'],
    ['a reference to nowhere', { $ref: '#/$defs/a' }, 'does not lead to an entry of #/$defs of this schema'],
    [
      'a reference to elsewhere',
      { $ref: 'https://example.io/a' },
      'does not lead to an entry of #/$defs of this schema',
    ],
    ['a reference to what all inherit', { $ref: '#/$defs/constructor', $defs: {} }, 'does not lead to'],
    ['a name of its own', { $id: 'https://example.io/a' }, 'the keyword $id is not taken'],
    ['a promise', { $async: true }, 'the keyword $async is not taken'],
    ['a bound from the data', { maximum: { $data: '1/a' } }, 'maximum may not be taken from the data ($data)'],
    [
      'a slip of the pen',
      { properties: { a: { minimun: 3 } } },
      '/properties/a: the keyword minimun is not taken; did you mean minimum?',
    ],
    [
      'a list of different items without an end',
      { items: { uniqueItems: true } },
      '/items: uniqueItems needs maxItems',
    ],
    [
      'another dialect',
      { $schema: 'http://json-schema.org/draft-07/schema#' },
      '$schema must be https://json-schema.org',
    ],
  ])('%s', (_what, schema, fault) => {
    expect(schemaFaults(schema).join('; ')).toContain(fault);
  });

  test('by a sentence that names it and all that is wrong', () => {
    const refuse = () => assertWithinBounds('providerSpec of driver mine', { $async: true, $id: 'a' });
    expect(refuse).toThrow(
      'the JSON Schema of the providerSpec of driver mine cannot be taken: /: the keyword $async is not taken; /: the keyword $id is not taken',
    );
  });
});

const lists = (levels: number): unknown => (levels === 0 ? 1 : [lists(levels - 1)]);

test.each<[string, unknown, string | undefined]>([
  ['nothing', undefined, undefined],
  ['an empty one', {}, undefined],
  ['a long text', { a: 'x'.repeat(DOCUMENT_BOUNDS.bytes - 20) }, undefined],
  ['a text that is too long', { a: 'x'.repeat(DOCUMENT_BOUNDS.bytes) }, 'must not have more than 256 KiB'],
  ['texts that are too long together', Array(300).fill('x'.repeat(1000)), 'must not have more than 256 KiB'],
  ['a key that is too long', { ['x'.repeat(DOCUMENT_BOUNDS.bytes)]: 1 }, 'must not have more than 256 KiB'],
  ['a list that is too long', { a: Array(DOCUMENT_BOUNDS.bytes).fill(1) }, 'must not have more than 256 KiB'],
  ['a deep one', lists(DOCUMENT_BOUNDS.depth), undefined],
  ['one that is too deep', lists(DOCUMENT_BOUNDS.depth + 1), 'must not be nested deeper than 64'],
])('a document is judged only within bounds: %s', (_what, document, fault) => {
  if (fault === undefined) expect(documentFault(document)).toBeUndefined();
  else expect(documentFault(document)).toStartWith(fault);
});
