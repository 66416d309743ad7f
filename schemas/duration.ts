/**
 * Durations as Go writes and reads them, for example `1h30m`, `10m0s`, `1.5s`: the form of every `metav1.Duration` and
 * of MCM's flags (package time, ParseDuration).
 */

const MS_PER_UNIT: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3, // U+00B5, micro sign
  μs: 1e-3, // U+03BC, Greek mu
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};

/** Digits can be read in one way only, so that no text takes longer than its length. */
const PARTS = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/gy;

/**
 * Texts longer than this are read as no duration. Go writes at most 20 characters (`-2562047h47m16.854775808s`); who
 * writes by hand all units, each with nine digits after the point, needs some 100.
 */
const MOST_CHARACTERS = 128;

/** Go keeps a duration as 64 bits of nanoseconds: some 292 years. */
const LONGEST_MS = 2 ** 63 / 1e6;

/** Milliseconds of a Go duration, exact to a nanosecond; undefined for any other text: a number without a unit is none, unless it is `0`. */
export function parseDuration(text: string): number | undefined {
  if (text.length > MOST_CHARACTERS) return undefined;
  const amount = text.replace(/^[+-]/, '');
  if (amount === '0') return 0;
  const parts = [...amount.matchAll(PARTS)];
  const read = parts.map(([part]) => part).join('');
  if (read === '' || read !== amount) return undefined;
  const ms = parts.reduce((sum, [, digits, unit]) => sum + Number(digits) * (MS_PER_UNIT[unit ?? ''] ?? 0), 0);
  if (ms > LONGEST_MS) return undefined;
  return ((text.startsWith('-') ? -1 : 1) * Math.round(ms * 1e6)) / 1e6;
}
