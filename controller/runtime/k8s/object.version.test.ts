import { expect, test } from 'bun:test';
import { compareVersions } from './object.ts';

test.each([
  ['1', '1', 0],
  ['0', '1', -1],
  ['9', '10', -1],
  ['100', '99', 1],
  ['18446744073709551617', '18446744073709551616', 1],
  ['99999999999999999999', '100000000000000000000', -1],
] as const)('%s against %s is %i', (a, b, sign) => {
  expect(Math.sign(compareVersions(a, b))).toBe(sign);
});

test.each(['', 'abc', '-1', '01', '1.5', ' 1'])('"%s" is no version', (version) => {
  expect(() => compareVersions(version, '1')).toThrow('not a decimal integer');
  expect(() => compareVersions('1', version)).toThrow(RangeError);
});
