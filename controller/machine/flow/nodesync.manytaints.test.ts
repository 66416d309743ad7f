import { describe, expect, test } from 'bun:test';
import type { Taint } from '../../runtime/k8s/core.ts';
import { asks, seen } from './nodesync.fixture.ts';
import { nodeSynced } from './nodesync.ts';

// hack/decisions/0028 T80

const MANY = 1_000;

/** How often keys of taints are read by a look at a Node with the first list, whose Machine asks for the others. */
function reads(there: string, { template, seeds }: { template: string; seeds?: string }): number {
  let count = 0;
  const taints = (prefix: string): Taint[] =>
    Array.from({ length: MANY }, (_, at) => ({
      effect: 'NoSchedule',
      get key() {
        count += 1;
        return `${prefix}${at}`;
      },
    }));
  const view = seen({
    template: asks({}, {}, taints(template)),
    ...(seeds !== undefined && { taints: taints(seeds) }),
    node: { spec: { taints: taints(there) } } as never,
  });
  count = 0;
  nodeSynced(view);
  return count;
}

describe('a look at a Node with many taints names each a few times, and compares none with all others', () => {
  test.each([
    ['which are the template’s', reads('a', { template: 'a' })],
    ['none of which the template asks for', reads('a', { template: 'b' })],
    ['beside as many that are put back', reads('a', { template: 'b', seeds: 'c' })],
  ])('%s', (_what, count) => {
    expect(count).toBeGreaterThan(0);
    expect(count).toBeLessThan(40 * MANY);
  });
});
