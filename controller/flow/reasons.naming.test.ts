import { expect, test } from 'bun:test';
import { named, withOthers } from './flow.ts';

// hack/decisions/0028 T30
test.each([
  [[], ''],
  [['a', 'b', 'c'], 'a, b, c'],
  [['a', 'b', 'c', 'd', 'e'], 'a, b, c and 2 more'],
])('of %p people read %p', (names, text) => {
  expect(named(names)).toBe(text);
});

// hack/decisions/0051 S26
test.each([
  [0, 'no room'],
  [1, 'no room (and 1 other)'],
  [2, 'no room (and 2 others)'],
])('beside %p others people read %p', (others, text) => {
  expect(withOthers('no room', others)).toBe(text);
});
