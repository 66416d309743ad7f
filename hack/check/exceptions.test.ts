import { expect, test } from 'bun:test';
import { withoutExcused } from './exceptions.ts';

const finding = (path: string, message: string) => ({ path, line: 7, message });

test('an exception excuses findings of its file and sentence, and no others', () => {
  const findings = [finding('a.ts', 'too long'), finding('a.ts', 'too deep'), finding('b.ts', 'too long')];
  const allowed = [{ path: 'a.ts', message: 'long', because: 'a table' }];
  expect(withoutExcused(findings, allowed)).toEqual([finding('a.ts', 'too deep'), finding('b.ts', 'too long')]);
});

test('an exception that excuses nothing is a finding', () => {
  expect(withoutExcused([], [{ path: 'a.ts', message: 'long', because: 'a table' }])).toEqual([
    { path: 'a.ts', line: 1, message: 'the exception "long" excuses nothing: remove it' },
  ]);
});
