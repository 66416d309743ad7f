import { expect, test } from 'bun:test';
import { BOUND_KEYS, boundOf } from './autoscaler.ts';

test.each([
  ['0', 0],
  ['2147483647', 2_147_483_647],
  ['2147483648', undefined],
  ['-1', undefined],
  ['1.5', undefined],
  ['', undefined],
  [' 1', undefined],
])('a bound of “%s” is %p', (text, bound) => {
  expect(boundOf(text)).toBe(bound);
});

test("bounds are found under Cluster API's group and under ours", () => {
  expect(BOUND_KEYS.map(({ min }) => min)).toEqual([
    'cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size',
    'machine.sapcloud.io/cluster-api-autoscaler-node-group-min-size',
  ]);
});
