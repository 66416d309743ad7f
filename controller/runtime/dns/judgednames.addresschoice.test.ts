import { expect, test } from 'bun:test';
import { AddressChoice } from './judgednames.ts';

// hack/decisions/0028 O22

const ALL = ['a', 'b', 'c'];

/** What is chosen after these, as `a-` for a failure and `b+` for an answer; each is of who was chosen by then, or of somebody else. */
function after(...ends: string[]): string | undefined {
  const choice = new AddressChoice();
  for (const end of ends) {
    choice.of(ALL);
    if (end.endsWith('+')) choice.answered(end.slice(0, -1));
    else choice.failed(end.slice(0, -1));
  }
  return choice.of(ALL);
}

test.each([
  [[], 'a'],
  [['a-'], 'b'],
  [['a-', 'a-', 'a-'], 'b'],
  [['b-'], 'a'],
  [['a-', 'b-'], 'c'],
  [['a-', 'b-', 'c-'], 'a'],
  [['a-', 'b-', 'a-', 'c-'], 'b'],
  [['a-', 'b+', 'a-', 'c-'], 'b'],
  [['a-', 'b+', 'b-'], 'c'],
  [['a-', 'c+'], 'c'],
  [['a-', 'b-', 'c-', 'b+'], 'b'],
])('after %p %s is called', (ends, chosen) => {
  expect(after(...ends)).toBe(chosen);
});

test('an address that the name has no more is not called, and one that comes again has not failed', () => {
  const choice = new AddressChoice();
  choice.answered('a');
  expect(choice.of(['b', 'c'])).toBe('b');
  choice.failed('b');
  expect(choice.of(['c'])).toBe('c');
  choice.failed('c');
  expect(choice.of(['b', 'c'])).toBe('b');
  expect(choice.of([])).toBeUndefined();
});
