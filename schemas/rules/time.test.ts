import { expect, test } from 'bun:test';
import { isTime } from './time.ts';

test.each([
  ['2026-01-31T08:00:00Z', true],
  ['2026-01-31T08:00:00.123456789+05:30', true],
  ['2024-02-29T00:00:00Z', true],
  ['2026-02-29T00:00:00Z', false],
  ['2026-01-32T08:00:00Z', false],
  ['2026-01-31T24:00:00Z', false],
  ['2026-01-31 08:00:00Z', false],
  ['2026-01-31T08:00:00', false],
  ['2026-01-31', false],
  ['', false],
])('%s is a moment in RFC 3339: %p', (text, is) => {
  expect(isTime(text)).toBe(is);
});
