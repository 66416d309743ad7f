import { expect, test } from 'bun:test';
import { memoize } from './memoize.ts';

test('a question is asked once for a text, and again for each long one', () => {
  const asked: string[] = [];
  const ask = memoize((text) => asked.push(text) > 0 && text !== 'no');
  const long = 'x'.repeat(513);
  expect(['yes', 'no', 'yes', 'no', long, long].map(ask)).toEqual([true, false, true, false, true, true]);
  expect(asked).toEqual(['yes', 'no', long, long]);
});

test('strange texts do not fill the memory: all is forgotten in the end, and asked anew', () => {
  let asked = 0;
  const ask = memoize(() => ++asked > 0);
  for (let n = 0; n <= 10_000; n++) ask(`text ${n}`);
  ask('text 10000');
  expect(asked).toBe(10_001);
  ask('text 0');
  expect(asked).toBe(10_002);
});
