import { expect, test } from 'bun:test';
import fc from 'fast-check';
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

/** Nanoseconds of each unit, as Go has them. */
const UNITS = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 10n ** 6n,
  s: 10n ** 9n,
  m: 60n * 10n ** 9n,
  h: 3600n * 10n ** 9n,
};

const digits = fc.stringMatching(/^[0-9]{1,6}$/);
const amount = fc.oneof(
  digits.map((whole) => ({ whole, fraction: '', text: whole })),
  digits.map((whole) => ({ whole, fraction: '', text: `${whole}.` })),
  fc.tuple(digits, digits).map(([whole, fraction]) => ({ whole, fraction, text: `${whole}.${fraction}` })),
  digits.map((fraction) => ({ whole: '0', fraction, text: `.${fraction}` })),
);
const unit = fc.constantFrom(...(Object.keys(UNITS) as Array<keyof typeof UNITS>));
const part = fc.tuple(amount, unit).map(([{ whole, fraction, text }, name]) => ({
  text: text + name,
  ns: (BigInt(whole + fraction) * UNITS[name]) / 10n ** BigInt(fraction.length),
}));

// hack/decisions/0028 W1
test('whatever Go takes is read as Go reads it, to a nanosecond of each part', () => {
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 6 }), fc.constantFrom('', '+', '-'), (parts, sign) => {
      const ns = Number(parts.reduce((sum, one) => sum + one.ns, 0n)) * (sign === '-' ? -1 : 1);
      const ms = parseDuration(sign + parts.map(({ text }) => text).join('')) ?? Number.NaN;
      expect(Math.abs(ms * 1e6 - ns)).toBeLessThanOrEqual(parts.length + Math.abs(ns) * 1e-12);
    }),
  );
});

// hack/decisions/0028 W1
test('a text that is longer than durations are is none, however it goes on', () => {
  expect(parseDuration(`${'0'.repeat(126)}1s`)).toBe(1_000);
  expect(parseDuration(`${'0'.repeat(127)}1s`)).toBeUndefined();
});
