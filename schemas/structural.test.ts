import { describe, expect, test } from 'bun:test';
import * as v from 'valibot';
import { cel, listMap } from './field.ts';
import { type Structural, structuralSchema } from './structural.ts';

const wrap = (field: v.GenericSchema) => v.object({ field });
const converted = (field: v.GenericSchema): Structural | undefined =>
  structuralSchema(wrap(field)).properties?.['field'];

describe('a structural schema', () => {
  const intOrString = v.union([v.pipe(v.number(), v.integer(), v.minValue(0)), v.pipe(v.string(), v.regex(/^a+$/))]);
  const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } as const;

  test.each<[what: string, field: v.GenericSchema, result: Structural]>([
    ['a literal gets its type', v.literal('a'), { enum: ['a'], type: 'string' }],
    ['a literal truth value gets its type', v.literal(true), { enum: [true], type: 'boolean' }],
    ['a list of choices', v.picklist(['a', 'b']), { enum: ['a', 'b'], type: 'string' }],
    [
      'a number or string, with the limits of both',
      intOrString,
      {
        'x-kubernetes-int-or-string': true,
        anyOf: [{ type: 'integer' }, { type: 'string' }],
        minimum: 0,
        pattern: '^a+$',
      },
    ],
    [
      'a text that is checked in words, before other rules',
      v.pipe(v.string(), v.regex(/^a\.b$/), v.title('name such as a.b'), cel({ rule: 'true', message: 'never' })),
      {
        type: 'string',
        title: 'name such as a.b',
        'x-kubernetes-validations': [
          { rule: 'self.matches("^a\\\\.b$")', message: 'must be a name such as a.b' },
          { rule: 'true', message: 'never' },
        ],
      },
    ],
    [
      'a number or text that is checked in words',
      v.pipe(
        v.union([v.pipe(v.number(), v.integer()), v.pipe(v.string(), v.regex(/^a+$/))]),
        v.title('word such as aa'),
      ),
      {
        'x-kubernetes-int-or-string': true,
        anyOf: [{ type: 'integer' }, { type: 'string' }],
        title: 'word such as aa',
        'x-kubernetes-validations': [
          { rule: 'type(self) == int || self.matches("^a+$")', message: 'must be a word such as aa' },
        ],
      },
    ],
    ['a strict object is closed by pruning', v.strictObject({}), { type: 'object', properties: {} }],
    ['a loose object keeps what it does not know', v.looseObject({}), { ...open, properties: {} }],
    ['an unknown value is kept', v.unknown(), { 'x-kubernetes-preserve-unknown-fields': true }],
    ['a record of anything is kept', v.record(v.string(), v.unknown()), open],
    [
      'a record of strings',
      v.record(v.string(), v.string()),
      { type: 'object', additionalProperties: { type: 'string' } },
    ],
    ['only the first example', v.pipe(v.string(), v.examples(['a', 'b'])), { type: 'string', example: 'a' }],
    ['greater than', v.pipe(v.number(), v.gtValue(1)), { type: 'number', minimum: 1, exclusiveMinimum: true }],
    ['less than', v.pipe(v.number(), v.ltValue(9)), { type: 'number', maximum: 9, exclusiveMaximum: true }],
    ['a moment', v.pipe(v.string(), v.isoTimestamp()), { type: 'string', format: 'date-time' }],
    ['a null is allowed', v.nullable(v.string()), { type: 'string', nullable: true }],
    [
      'extensions pass',
      v.pipe(v.array(v.object({ name: v.string() })), listMap('name'), cel({ rule: 'true', message: 'never' })),
      {
        type: 'array',
        items: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['name'],
        'x-kubernetes-validations': [{ rule: 'true', message: 'never' }],
      },
    ],
  ])('has %s', (_what, field, result) => {
    expect(converted(field)).toEqual(result);
  });

  test('lists as required what has neither a default nor a question mark', () => {
    const schema = v.object({ a: v.string(), b: v.optional(v.string()), c: v.optional(v.string(), 'x') });
    expect(structuralSchema(schema).required).toEqual(['a']);
    expect(structuralSchema(schema).properties?.['c']).toEqual({ type: 'string', default: 'x' });
    expect(structuralSchema(v.object({ b: v.optional(v.string()) })).required).toBeUndefined();
  });
});

describe('a CRD cannot say', () => {
  test.each<[what: string, field: v.GenericSchema, says: RegExp]>([
    ['a union of objects', v.union([v.object({}), v.string()]), /field: .*union other than/],
    ['a union of three', v.union([v.pipe(v.number(), v.integer()), v.string(), v.boolean()]), /union other than/],
    ['a fraction or a string', v.union([v.number(), v.string()]), /union other than/],
    ['a variant', v.variant('t', [v.object({ t: v.literal('a') })]), /field: .*variant.*CEL rule/],
    ['an intersection', v.intersect([v.object({}), v.object({})]), /keyword allOf/],
    ['a tuple', v.tuple([v.pipe(v.number(), v.integer()), v.string()]), /tuple.*array or an object/],
    ['an object with rest', v.objectWithRest({ a: v.string() }, v.string()), /object with rest/],
    ['never', v.never(), /keyword not/],
    ['one of mixed values', v.picklist(['a', 1]), /without a type/],
    ['a lazy schema', v.lazy(() => v.string()), /keyword \$ref/],
    ['flags of an expression', v.pipe(v.string(), v.regex(/^a$/i)), /flags/],
    ['flags of a built-in expression', v.pipe(v.string(), v.mac()), /no flags/],
    ['looking ahead', v.pipe(v.string(), v.regex(/^(?!a)/)), /look-around/],
    ['looking behind', v.pipe(v.string(), v.regex(/(?<=a)b/)), /look-around/],
    ['a back reference', v.pipe(v.string(), v.regex(/(a)\1/)), /back reference/],
    ['a character by number', v.pipe(v.string(), v.regex(/\u00b5/)), /\\u/],
    ['more than a thousand repeats', v.pipe(v.string(), v.regex(/a{1,2000}/)), /repeats/],
    ['two expressions at once', v.pipe(v.string(), v.regex(/a/), v.regex(/b/)), /combination/],
    [
      'a check in code',
      v.pipe(
        v.string(),
        v.check(() => true),
      ),
      /"check" action/,
    ],
    ['a transformation', v.pipe(v.string(), v.toUpperCase()), /"to_upper_case" action/],
    ['an IP address', v.pipe(v.string(), v.ip()), /"ip" action/],
    ['a format that the API server does not know', v.pipe(v.string(), v.isoTime()), /format time/],
    ['bytes in base64', v.pipe(v.string(), v.base64()), /keyword contentEncoding/],
    ['a date', v.date(), /"date" schema/],
    ['a bigint', v.bigint(), /"bigint" schema/],
    ['a record by number', v.record(v.picklist(['a']), v.string()), /"record" schema/],
    ['null alone', v.null(), /without a type/],
  ])('%s', (_what, field, says) => {
    expect(() => structuralSchema(wrap(field))).toThrow(says);
  });
});
