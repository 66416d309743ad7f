import { expect, test } from 'bun:test';
import { budgetFindings, spread, statisticsText } from './statistics.ts';

const small = { median: 10, p90: 20, most: 30 };

test.each([
  [[], { median: 0, p90: 0, most: 0 }],
  [[5], { median: 5, p90: 5, most: 5 }],
  [[10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0], { median: 5, p90: 9, most: 10 }],
])('the spread of %p', (values, expected) => {
  expect(spread(values)).toEqual(expected);
});

test('a budget that the project has left is a finding', () => {
  expect(budgetFindings({ files: small, functions: small })).toEqual([]);
  expect(budgetFindings({ files: { ...small, p90: 201 }, functions: { ...small, median: 11 } })).toEqual([
    { path: '.', line: 1, says: 'the files have median 10 and p90 201 lines, the budget is 80 and 200' },
    { path: '.', line: 1, says: 'the functions have median 11 and p90 20 lines, the budget is 10 and 40' },
  ]);
});

test('the summary is one line', () => {
  expect(statisticsText({ files: small, functions: small })).toBe(
    'lines of files: median 10, p90 20, most 30; of functions: median 10, p90 20, most 30',
  );
});
