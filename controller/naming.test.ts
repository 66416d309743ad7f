import { expect, test } from 'bun:test';
import { named } from './naming.ts';

// hack/decisions/0028 T30
test.each([
  [[], ''],
  [['a', 'b', 'c'], 'a, b, c'],
  [['a', 'b', 'c', 'd', 'e'], 'a, b, c and 2 more'],
])('of %p people read %p', (names, text) => {
  expect(named(names)).toBe(text);
});
