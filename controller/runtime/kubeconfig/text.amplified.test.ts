import { expect, test } from 'bun:test';
import { refuseAmplified } from './text.ts';

// hack/decisions/0028 T18

test.each([
  ['{<<: {<<: {a: 1}}}'],
  ["{'<<': {a: 1}}"],
  ['{"\\u003C\\x3c": {a: 1}}'],
  ['{"\\U0000003c<": {a: 1}}'],
  ['{"<\\\n  <": {a: 1}}'],
  ['? |-\n  <<\n: {a: 1}'],
  ['{!a<<: {a: 1}}'],
  ['{!!str "<<": {a: 1}}'],
])('a merge key is refused as %j', (text) => {
  expect(() => refuseAmplified(text)).toThrow('it has a merge key (<<)');
});

test.each(['a<<b', 'x: a<<', 'x: "<<<"', 'x: "!a<<b"', 'x: "1<2<3"'])('what is none is not: %j', (text) => {
  expect(() => refuseAmplified(text)).not.toThrow();
});

/** What may stand around a key, or in it. */
const PIECES = [
  '\n',
  '\t',
  '"',
  "'",
  '!',
  '!a',
  '!!str ',
  '&a ',
  '? ',
  '|-\n ',
  '\\\n',
  '\\x3c',
  '\\u003C',
  ',',
  'a',
  '',
];

const pairs = PIECES.flatMap((one) => PIECES.map((other) => [one, other] as const));

const keysIn = (quote: string): string[] =>
  pairs.flatMap(([one, other]) => [
    `${one}${quote}${other}<<${quote}`,
    `${quote}<${one}${other}<${quote}`,
    `${quote}${one}${other}${quote}`,
    `${one}${quote}<<${quote}${other}`,
  ]);

const textsOf = (key: string): string[] => [`{${key}: {merged: 1}}`, `${key}: {merged: 1}`, `? ${key}\n: {merged: 1}`];

/** Whether the parser takes the map out of its key, and would not if the key were another one. */
const isMerged = (text: string): boolean => rootHas(text) && !rootHas(text.replace(/<|\\x3c|\\u003C/g, 'z'));

function rootHas(yaml: string): boolean {
  try {
    return Object.hasOwn(Object(Bun.YAML.parse(yaml)), 'merged');
  } catch {
    return false;
  }
}

test('whatever the parser takes for a merge key is refused', () => {
  const merging = ['', '"', "'"].flatMap(keysIn).flatMap(textsOf).filter(isMerged);
  expect(merging.length).toBeGreaterThan(100);
  for (const text of merging) expect(() => refuseAmplified(text)).toThrow('merge key');
});

// hack/decisions/0028 O26

test.each([
  ['a comment', '# R&D and *all*\na: 1 # of &b, *b'],
  ['a comment before the end of a line of Windows', 'a: 1 # &b *b\r\nb: 1\r\n'],
  ['a comment behind a tab', 'a: 1\t# &b *b'],
  ['a quoted text', 'a: "&b *b"\nc: 1'],
  ['a text in single quotes', "list:\n  - a: '&b *b'\n    c: 1"],
  ['a quoted text before a comment', 'a: "&b *b" # *c &d'],
  ['JSON', '{"a":"&b","c":{"d":"it\'s *b, \\"&x\\""}}'],
  ['JSON of many lines', JSON.stringify({ a: '&b', b: ['*b'] }, undefined, 2)],
])('& and * in %s are no anchors and aliases', (_where, text) => {
  expect(() => refuseAmplified(text)).not.toThrow();
});

/** A line each, or parts of one: what may hide an anchor, or an alias, from who looks at the text alone. */
const LINES = [
  'k: ", &b ANCHORED, "',
  'k: "&b ANCHORED"',
  "k: ', &b ANCHORED, '",
  'k: x, ", &b ANCHORED, "',
  '- k: ", &b ANCHORED, "',
  '- ", &b ANCHORED, "',
  ' ", &b ANCHORED, "',
  'k: &b ANCHORED',
  '&b ANCHORED',
  '# ", &b ANCHORED',
  '#, &b ANCHORED',
  'x # , &b ANCHORED',
  'x #\r&b ANCHORED',
  '#\u2028&b ANCHORED',
  'k: x"#, &b ANCHORED',
  ', &b ANCHORED #',
];
const BEFORE = [
  '',
  'a: 1',
  '[',
  '["x',
  '"x',
  "['x",
  'a: "x',
  'a: |',
  'a: x',
  '{a: x',
  '[x',
  '[x,',
  '{',
  '- "x',
  '? "x',
  '!!str "x',
  'a: [x',
  'a: ["x',
];
const AFTER = [
  'z: *b',
  ', *b]',
  ',*b]',
  '", *b]',
  "', *b]",
  ', z: *b}',
  '", z: *b}',
  '- *b',
  ' *b ]',
  '", "", *b]',
  'z: "", y: *b',
  ']\nz: *b',
  '"]\nz: *b',
  '"\nz: *b',
];

/** Whether the parser has put what was named where its name stands. */
function isRepeated(yaml: string): boolean {
  try {
    return (JSON.stringify(Bun.YAML.parse(yaml)) ?? '').split('ANCHORED').length > 2;
  } catch {
    return false;
  }
}

test('whatever the parser takes for an anchor with an alias is refused', () => {
  const texts = BEFORE.flatMap((before) =>
    ['\n', '\n  '].flatMap((gap) => LINES.flatMap((line) => AFTER.map((after) => `${before}${gap}${line}\n${after}`))),
  );
  const repeating = texts.filter(isRepeated);
  expect(repeating.length).toBeGreaterThan(40);
  for (const text of repeating) expect(() => refuseAmplified(text), text).toThrow('anchors and aliases');
});
