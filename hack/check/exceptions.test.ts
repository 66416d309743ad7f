import { expect, test } from 'bun:test';
import { withoutExcused } from './exceptions.ts';

const finding = (path: string, says: string) => ({ path, line: 7, says });

test('an exception excuses findings of its file and sentence, and no others', () => {
  const findings = [finding('a.ts', 'too long'), finding('a.ts', 'too deep'), finding('b.ts', 'too long')];
  const allowed = [{ path: 'a.ts', says: 'long', because: 'a table' }];
  expect(withoutExcused(findings, allowed)).toEqual([finding('a.ts', 'too deep'), finding('b.ts', 'too long')]);
});

test('an exception that excuses nothing is a finding', () => {
  expect(withoutExcused([], [{ path: 'a.ts', says: 'long', because: 'a table' }])).toEqual([
    { path: 'a.ts', line: 1, says: 'the exception "long" excuses nothing: remove it' },
  ]);
});
