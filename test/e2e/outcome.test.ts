import { expect, test } from 'bun:test';
import { outcomeText, tallyOf } from './outcome.ts';

const passed = { name: 'a', end: 'passed', why: '', seconds: 1.25 } as const;
const skipped = { name: 'b', end: 'skipped', why: 'no network', seconds: 0 } as const;
const failed = { name: 'c', end: 'failed', why: 'one\ntwo', seconds: 100, folder: 'kept' } as const;

test('each case has a line, and a failed one its reasons and its folder', () => {
  expect(outcomeText(passed)).toBe('passed     1.3 s  a');
  expect(outcomeText(skipped)).toBe('skipped    0.0 s  b: no network');
  expect(
    outcomeText(failed)
      .split('\n')
      .map((line) => line.trim()),
  ).toEqual(['failed   100.0 s  c:', 'one', 'two', 'what was seen is in kept']);
});

test('what was skipped is not counted as passed', () => {
  expect(tallyOf([passed, skipped, failed, passed])).toEqual({ passed: 2, failed: 1, skipped: 1 });
});
