import { expect, test } from 'bun:test';
import { refuseAmplified } from './amplified.ts';

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
