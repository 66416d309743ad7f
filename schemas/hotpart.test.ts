import { expect, test } from 'bun:test';
import { coldPart, hotPart, marksHot } from './hotpart.ts';
import { HOT } from './jsonschema.ts';
import { virtual } from './providers/index.ts';

const hot = { [HOT]: true };
const text = { type: 'string' };
const schema = {
  type: 'object',
  properties: {
    image: text,
    tags: { type: 'object', additionalProperties: text, ...hot },
    disks: { type: 'array', items: { type: 'object', properties: { size: text, iops: { ...text, ...hot } } } },
    network: { $ref: '#/$defs/network' },
  },
  $defs: { network: { type: 'object', properties: { checks: { type: 'boolean', ...hot }, name: text } } },
};

test.each([
  ['nothing', {}, {}],
  ['no spec', undefined, {}],
  ['cold fields only', { image: 'a', disks: [{ size: '1' }] }, {}],
  ['a marked map', { image: 'a', tags: { a: '1' } }, { tags: { a: '1' } }],
  [
    'a marked field of list items, each in its place',
    { disks: [{ size: '1' }, { size: '1', iops: '9' }] },
    { disks: [null, { iops: '9' }] },
  ],
  ['a marked field behind a reference', { network: { name: 'n', checks: false } }, { network: { checks: false } }],
  ['a field that the schema does not know', { colour: 'red' }, {}],
])('the hot part of %s', (_what, spec, part) => {
  expect(hotPart(spec, schema)).toEqual(part);
});

test.each([
  ['nothing', {}, {}],
  ['cold fields only', { image: 'a', disks: [{ size: '1' }] }, { image: 'a', disks: [{ size: '1' }] }],
  ['a marked map', { image: 'a', tags: { a: '1' } }, { image: 'a' }],
  ['a marked field of list items', { disks: [{ size: '1', iops: '9' }, {}] }, { disks: [{ size: '1' }, {}] }],
  ['a marked field behind a reference', { network: { checks: false } }, { network: {} }],
  ['a field that the schema does not know', { colour: 'red' }, { colour: 'red' }],
])('the cold part of %s', (_what, spec, part) => {
  expect(coldPart(spec, schema)).toEqual(part);
});

test('a schema that is hot as a whole', () => {
  expect(hotPart({ image: 'a' }, { ...schema, ...hot })).toEqual({ image: 'a' });
});

test('whether anything is marked', () => {
  expect([schema, virtual.providerSpec, { type: 'object', properties: { image: text } }, {}].map(marksHot)).toEqual([
    true,
    true,
    false,
    false,
  ]);
});
