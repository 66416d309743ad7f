import { expect, test } from 'bun:test';
import { endOf, sameVmBy } from './vmstatus.ts';

/** hack/decisions/0028 T6: an id that ends alike may be a VM's of another project. */

const zones = { isSameVm: (one: string, other: string) => one.startsWith('aws:') && other.startsWith('aws:') };
const first = { isSameVm: (one: string) => one.endsWith('a/i-1') };

test.each([
  ['the same words', 'gce:///p/z/db-0', 'gce:///p/z/db-0', [], true],
  ['a name in two projects', 'gce:///p/z/db-0', 'gce:///q/z/db-0', [zones], false],
  ['two ways to write one, of which nobody knows', 'aws:///eu-west-1/i-1', 'aws:///eu-west-1a/i-1', [], false],
  ['two ways to write one, as a driver says', 'aws:///eu-west-1/i-1', 'aws:///eu-west-1a/i-1', [{}, zones], true],
  ['two ids with other ends, whatever a driver says', 'aws:///eu-west-1/i-1', 'aws:///eu-west-1/i-2', [zones], false],
  ['the same id in another case, as a driver says', 'aws:///X/i-A', 'aws:///x/i-a', [zones], true],
  ['two ids without an end', 'aws:///', 'aws:///a/', [zones], false],
])('%s: %s and %s are one VM: %p', (_what, one, other, drivers, same) => {
  const isSameVm = sameVmBy(drivers.values());
  expect([isSameVm(one, other), isSameVm(other, one)]).toEqual([same, same]);
});

test('a driver that minds the order is asked in one', () => {
  const [one, other] = ['x:///a/i-1', 'x:///b/i-1'];
  expect(sameVmBy([first])(one, other)).toBe(sameVmBy([first])(other, one));
});

test.each([
  ['aws:///eu-west-1/I-1', 'i-1'],
  ['virtual:///', 'virtual:///'],
  ['bare', 'bare'],
])('the end of %s is %s', (id, end) => expect(endOf(id)).toBe(end));
