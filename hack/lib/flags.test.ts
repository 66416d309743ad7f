import { expect, test } from 'bun:test';
import { readFlags } from './flags.ts';

const FLAGS = {
  name: { type: 'string', short: 'n' },
  case: { type: 'string', multiple: true },
  keep: { type: 'boolean' },
} as const;

test('flags have their values, wherever they stand', () => {
  const { values, wrong } = readFlags(['--case', 'a', '--keep', '-n', 'x', '--case=b'], FLAGS);
  expect({ ...values }).toEqual({ name: 'x', case: ['a', 'b'], keep: true });
  expect(wrong).toBeUndefined();
});

test.each([
  [['word'], 'takes flags only, not "word"'],
  [['--nam=x'], 'has no flag --nam; see below'],
  [['--keep=yes'], 'takes no value with --keep'],
  [['--name'], 'needs a value with --name'],
  [['--name='], 'needs a value with --name'],
  [['--toString=x'], 'has no flag --toString; see below'],
])('%j is refused', (words, why) => {
  expect(readFlags(words, FLAGS, '; see below').wrong).toBe(why);
});
