import { expect, test } from 'bun:test';
import { formerIds } from './formerids.ts';

test.each<[string, Array<[string, string[]]>]>([
  ['', []],
  ['shop=5d1f', [['shop', ['5d1f']]]],
  [
    'shop=5d1f, web=5d1f,shop=a.B_1,',
    [
      ['shop', ['5d1f', 'a.B_1']],
      ['web', ['5d1f']],
    ],
  ],
  ['constructor=5d1f', [['constructor', ['5d1f']]]],
])('%j are the ids %j', (text, ids) => {
  expect(formerIds.read(text)).toEqual(new Map(ids));
});

test.each(['5d1f', 'shop', 'shop=', '=5d1f', 'shop=a=b', 'Shop=5d1f', 'shop/5d1f', 'shop=5d1f web=5d1f', '*=5d1f'])(
  '%j is refused: an id is of one namespace',
  (text) => {
    expect(formerIds.read(text)).toBeUndefined();
  },
);
