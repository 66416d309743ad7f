import { expect, test } from 'bun:test';
import { amountOf, isSameAmount } from './change.ts';

test.each([
  ['1000', '1k', true],
  ['0.5', '500m', true],
  ['1024Mi', '1Gi', true],
  ['1e3', 1000, true],
  ['2E', '2e18', true],
  ['+5', '5', true],
  ['1', '1k', false],
  ['1Gi', '1G', false],
  ['odd', 'odd', true],
  ['odd', 'other', false],
] as const)('%p and %p are the same amount: %p', (a, b, same) => {
  expect(isSameAmount(a, b)).toBe(same);
});

// What kube-apiserver keeps of these in the capacity of a Node (hack/decisions/0028 T28).
test.each([
  ['1e-10', '1e-3'],
  ['0.0001', '1m'],
  ['100u', '1m'],
  ['1500u', '2m'],
  ['1e-999999999', '1m'],
  ['1.1', '1100m'],
  ['0.0000000001Ki', '1m'],
  ['100E', '9223372036854775807'],
  ['1e999999999', '9223372036854775807'],
  ['0e-999999999', '0'],
])('%s is kept as %s', (asked, kept) => {
  expect(isSameAmount(asked, kept)).toBe(true);
});

test.each(['', 'x', '1 Gi', '1X', '1.2.3'])('%p is no amount', (text) => {
  expect(amountOf(text)).toBeNaN();
});

// hack/decisions/0028 T82
test('a quantity that is longer than any is none, so that nobody computes a megabyte of digits', () => {
  expect(isSameAmount(`1.${'0'.repeat(200)}`, '1')).toBe(true);
  expect(isSameAmount(`1.${'0'.repeat(300)}`, '1')).toBe(false);
  expect(amountOf(`0.${'1'.repeat(300)}`)).toBeNaN();
});
