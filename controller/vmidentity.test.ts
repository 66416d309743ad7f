import { expect, test } from 'bun:test';
import { vmIdentity } from './vmidentity.ts';

test.each([
  ['aws:///eu-west-1/i-1', 'aws:///eu-west-1a/i-1', true],
  ['aws:///eu-west-1/i-1', 'aws:///eu-west-1/i-2', false],
  ['aws:///eu-west-1/i-1', 'gce:///eu-west-1/i-1', false],
  ['virtual:///', 'virtual:///', true],
  ['virtual:///', 'virtual:///a/', false],
])('%s and %s are one VM: %p', (one, other, same) => {
  expect(vmIdentity(one) === vmIdentity(other)).toBe(same);
});
