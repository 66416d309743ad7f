import { expect, test } from 'bun:test';
import { amountOf, isSameAmount } from './quantity.ts';

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

test.each(['', 'x', '1 Gi', '1X', '1.2.3'])('%p is no amount', (text) => {
  expect(amountOf(text)).toBeNaN();
});
