import { expect, test } from 'bun:test';
import { readTally, tallyText, total } from './tally.ts';

test('tallies add up', () => {
  const one = { passed: 1, failed: 2, skipped: 3 };
  expect(total([])).toEqual({ passed: 0, failed: 0, skipped: 0 });
  expect(total([one, one])).toEqual({ passed: 2, failed: 4, skipped: 6 });
});

test('what failed adds up, too', () => {
  const one = { passed: 0, failed: 1, skipped: 0, failures: ['one'] };
  expect(total([one, { passed: 1, failed: 0, skipped: 0 }, { ...one, failures: ['other'] }]).failures).toEqual([
    'one',
    'other',
  ]);
});

test('the last line mentions skipped tests if there are any', () => {
  expect(tallyText({ passed: 3, failed: 0, skipped: 0 })).toBe('3 passed, 0 failed');
  expect(tallyText({ passed: 3, failed: 1, skipped: 2 })).toBe('3 passed, 1 failed, 2 skipped');
});

test.each([
  { passed: 3, failed: 0, skipped: 0 },
  { passed: 0, failed: 12, skipped: 2 },
])('a tally can be read again: %p', (tally) => {
  expect(readTally(tallyText(tally))).toEqual(tally);
});

test.each(['', '3 passed', 'all in all 3 passed, 0 failed', '3 passed, 0 failed in 2 s'])('%p is no tally', (line) => {
  expect(readTally(line)).toBeUndefined();
});
