import { expect, test } from 'bun:test';
import * as v from 'valibot';
import { cel, defaulted, listMap, optional, required } from '../../schemas/field.ts';
import { structuralSchema } from '../../schemas/structural.ts';
import { fieldsOf } from './fields.ts';

const schema = v.pipe(
  v.object({
    kind: v.string(),
    mode: defaulted(v.picklist(['a', 'b']), 'a', 'The mode.'),
    names: optional(v.pipe(v.array(v.pipe(v.string(), v.maxLength(9))), v.maxLength(3)), 'Names.'),
    parts: required(
      v.pipe(v.array(v.object({ id: required(v.pipe(v.string(), v.title('name')), 'The id.') })), listMap('id')),
      'Parts.',
    ),
    limits: optional(v.record(v.string(), v.pipe(v.number(), v.integer())), 'Limits.'),
    wait: optional(v.pipe(v.string(), v.regex(/^a$/), v.title('wait such as a, or b')), 'A wait.'),
    rest: optional(v.record(v.string(), v.unknown()), 'The rest.'),
  }),
  cel({ rule: 'true', message: 'modes stay', fieldPath: '.mode' }),
);

test('fields are listed with path, type, default, rules and sentence', () => {
  expect(
    fieldsOf(structuralSchema(schema)).map((field) => [field.path, field.type, field.fallback, field.rules.join('; ')]),
  ).toEqual([
    ['mode', 'string', 'a', 'one of `"a"`, `"b"`; *modes stay*'],
    ['names', 'list of string', undefined, 'at most 3 entries; each: at most 9 characters'],
    ['parts', 'list of object', undefined, 'required; no two of the same id'],
    ['parts[].id', 'name', undefined, 'required'],
    ['limits', 'map of integer', undefined, ''],
    ['wait', 'wait, or b', undefined, ''],
    ['rest', 'any object', undefined, ''],
  ]);
});
