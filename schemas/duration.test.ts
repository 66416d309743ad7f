import { expect, test } from 'bun:test';
import { parseDuration } from './duration.ts';

test.each([
  ['0', 0],
  ['0s', 0],
  ['300ms', 300],
  ['1.5h', 5_400_000],
  ['2h45m', 9_900_000],
  ['1h30m0s', 5_400_000],
  ['.5s', 500],
  ['5.s', 5_000],
  ['1us', 0.001],
  ['1µs', 0.001],
  ['1μs', 0.001],
  ['7ns', 0.000007],
  ['1.001s', 1_001],
  ['1h1m1s1ms', 3_661_001],
  ['+2s', 2_000],
  ['-2s', -2_000],
  ['2562047h47m16s', 9_223_372_036_000],
])('reads %p as %p ms', (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

test.each(['', '+', '10', '1d', '1 h', 's', '.s', '1h-5m', '1e3s', '--1s', '1S', '1hour', '2562048h', '１s'])(
  'refuses %p',
  (text) => {
    expect(parseDuration(text)).toBeUndefined();
  },
);
