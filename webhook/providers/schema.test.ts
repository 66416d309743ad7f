import { describe, expect, test } from 'bun:test';
import type { JsonSchema } from '../../schemas/jsonschema.ts';
import { worstSchemas } from '../../test/fixtures/worstschemas.ts';
import { compile } from './compile.ts';
import { compileCheck } from './schema.ts';
import type { Violation } from './violation.ts';
import { Effort, MOST_STEPS, TooMuchWork } from './workbudget.ts';

const duration = { type: 'string', pattern: '^[0-9]+s$', title: 'duration such as 90s' };

const schema: JsonSchema = {
  type: 'object',
  required: ['size'],
  properties: {
    size: { enum: ['small', 'large'] },
    wait: duration,
    plain: { type: 'string', pattern: '^[a-z]+$' },
    count: { type: 'integer', minimum: 1 },
    tags: { type: 'object', propertyNames: { pattern: '^[a-z/.]+$' }, additionalProperties: { type: 'string' } },
    disks: { type: 'array', maxItems: 2, uniqueItems: true, items: { $ref: '#/$defs/disk' } },
    quantity: { anyOf: [{ type: 'integer' }, { type: 'string', pattern: '^[0-9]+Gi$' }], title: 'quantity' },
    bare: { anyOf: [{ type: 'integer' }, { type: 'object', required: ['a'] }] },
    one: { oneOf: [{ type: 'integer' }, { type: 'number' }] },
    kind: { const: 'VM' },
    login: { type: ['string', 'null'] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    on: { if: { type: 'string' }, then: { minLength: 3 } },
  },
  dependentRequired: { wait: ['count'] },
  additionalProperties: false,
  $defs: { disk: { type: 'object', properties: { gib: { type: 'integer' } }, unevaluatedProperties: false } },
};

const check = compileCheck('providerSpec of driver mine', schema);
const good = { size: 'small' };

describe('what is wrong with a document is told at its place', () => {
  test.each<[string, unknown, Violation[]]>([
    ['nothing', good, []],
    ['nothing again', { ...good, wait: '9s', count: 1, quantity: '4Gi', tags: { a: 'b' }, disks: [{ gib: 1 }] }, []],
    ['no object', 'small', [{ at: '', message: 'must be an object' }]],
    ['something missing', {}, [{ at: '.size', message: 'must be set' }]],
    ['something that must come with another', { ...good, wait: '9s' }, [{ at: '.count', message: 'must be set' }]],
    ['a slip of the pen', { ...good, cuont: 1 }, [{ at: '.cuont', message: 'is not known; did you mean count?' }]],
    [
      'a key far from all',
      { ...good, disks: [{ bytes: 1 }] },
      [{ at: '.disks[0].bytes', message: 'is not known; there are gib' }],
    ],
    [
      'a word in capitals',
      { size: 'Small' },
      [{ at: '.size', message: 'must be one of small, large; did you mean small?' }],
    ],
    ['another word', { size: 7 }, [{ at: '.size', message: 'must be one of small, large' }]],
    ['a constant', { ...good, kind: 'Pod' }, [{ at: '.kind', message: 'must be "VM"' }]],
    [
      'types',
      { ...good, login: 3, count: 'x' },
      [
        { at: '.count', message: 'must be an integer' },
        { at: '.login', message: 'must be a string or a null' },
      ],
    ],
    ['a range', { ...good, count: 0 }, [{ at: '.count', message: 'must be >= 1' }]],
    [
      'a pattern with a title',
      { ...good, wait: '9', count: 1 },
      [{ at: '.wait', message: 'must be a duration such as 90s' }],
    ],
    ['a pattern without', { ...good, plain: 'A' }, [{ at: '.plain', message: 'must match pattern "^[a-z]+$"' }]],
    [
      'a key',
      { ...good, tags: { 'A B': 'c', 'a.b/c': 1 } },
      [
        { at: '.tags[A B]', message: 'as a key must match pattern "^[a-z/.]+$"' },
        { at: '.tags[a.b/c]', message: 'must be a string' },
      ],
    ],
    ['alternatives with a title', { ...good, quantity: true }, [{ at: '.quantity', message: 'must be a quantity' }]],
    [
      'alternatives without',
      { ...good, bare: {} },
      [{ at: '.bare', message: 'must be an integer, or .a must be set' }],
    ],
    [
      'too many alternatives at once',
      { ...good, one: 1 },
      [{ at: '.one', message: 'fits more than one of its alternatives' }],
    ],
    ['a condition', { ...good, on: 'a' }, [{ at: '.on', message: 'must NOT have fewer than 3 characters' }]],
    [
      'equal items, written otherwise',
      { ...good, disks: [{ gib: 1 }, { gib: 1 }] },
      [{ at: '.disks', message: 'must not have two equal items' }],
    ],
    [
      'what all objects inherit',
      { ...good, constructor: 1, ['__proto__x']: 1 },
      [
        { at: '.constructor', message: expect.stringContaining('is not known') },
        { at: '.__proto__x', message: expect.stringContaining('is not known') },
      ],
    ],
  ])('%s', (_what, document, violations) => {
    expect(check(document)).toEqual(violations);
  });

  test('a key that only JSON can bring', () => {
    expect(check(JSON.parse('{"size": "small", "__proto__": {"size": 1}}'))).toHaveLength(1);
  });

  test('every unknown key, up to a measure', () => {
    const unknown = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`${index}x`, 1]));
    expect(check({ ...good, ...unknown(20) })).toHaveLength(20);
    expect(check({ ...good, ...unknown(30) }).at(-1)).toEqual({
      message: 'has 10 more faults of this kind; mend these first',
    });
  });

  test('a key without measure, which is cut', () => {
    expect(check({ ...good, ['x'.repeat(1000)]: 1 })[0]?.at?.length).toBe(255);
  });

  test('more than may be judged', () => {
    expect(check({ size: 'x'.repeat(300_000) })).toEqual([{ message: expect.stringContaining('256 KiB') }]);
  });
});

describe('a schema that cannot be compiled is refused', () => {
  test.each<[string, JsonSchema]>([
    ['a type that there is not', { type: 'text' }],
    ['an expression that is none', { pattern: '(' }],
    ['an expression that RE2 does not know', { pattern: '(?=a)' }],
    ['an expression that refers back', { pattern: '(a)\\1' }],
  ])('%s', (_what, bad) => {
    expect(() => compileCheck('providerSpec of driver mine', bad)).toThrow(
      'the JSON Schema of the providerSpec of driver mine cannot be compiled',
    );
  });
});

describe('work on a document has an end, whatever the schema and the document', () => {
  test.each(worstSchemas)('%s', (_what, hard, document) => {
    expect(compileCheck('worst', hard)(document)).toEqual([{ message: expect.stringContaining('too much work') }]);
    const effort = new Effort();
    const validates = compile(hard, effort);
    expect(() => validates(document)).toThrow(TooMuchWork);
    // What is looked at last may be as large as a document.
    expect(effort.spent).toBeLessThan(2 * MOST_STEPS);
  });

  test('work is counted anew for each document', () => {
    const [, hard, document] = worstSchemas[0] ?? ['', {}, {}];
    const again = compileCheck('worst', hard);
    again(document);
    expect(again({ a: ['x'] })).toEqual([]);
  });
});
