import { expect, test } from 'bun:test';
import type { Lease } from '../k8s/core.ts';
import { holderOf, leaseHeldBy, newLease, released, termOf } from './candidate.ts';

const now = Date.parse('2026-01-01T00:00:10Z');
const NOW = '2026-01-01T00:00:10.000000Z';
const BEFORE = '2026-01-01T00:00:00.000000Z';
const holder = { identity: 'a', durationMs: 2500, now };

const leaseOf = (spec?: Lease['spec']): Lease => ({
  ...newLease({ namespace: 'ns', name: 'l' }),
  ...(spec && { spec }),
});

test.each<[string, Lease['spec'], Lease['spec']]>([
  ['a lease nobody held', undefined, { acquireTime: NOW, leaseTransitions: 0 }],
  [
    'a lease of another',
    { holderIdentity: 'b', acquireTime: BEFORE, leaseTransitions: 4 },
    { acquireTime: NOW, leaseTransitions: 5 },
  ],
  [
    'a released lease',
    { holderIdentity: '', acquireTime: BEFORE, leaseTransitions: 1 },
    { acquireTime: NOW, leaseTransitions: 2 },
  ],
  [
    'its own lease',
    { holderIdentity: 'a', acquireTime: BEFORE, leaseTransitions: 4 },
    { acquireTime: BEFORE, leaseTransitions: 4 },
  ],
])('who claims %s writes whole seconds, the time, and a transition only for a new holder', (_what, before, after) => {
  const written = leaseHeldBy(leaseOf(before), holder).spec;
  expect(written).toEqual({ holderIdentity: 'a', leaseDurationSeconds: 3, renewTime: NOW, ...after });
});

test('a claim keeps the rest of the object, its version above all', () => {
  const lease = leaseOf({ holderIdentity: 'b' });
  lease.metadata = { ...lease.metadata, resourceVersion: '7', labels: { x: 'y' } };
  expect(leaseHeldBy(lease, holder).metadata).toEqual(lease.metadata);
});

test('a released lease has no holder, one second left and the same number of transitions', () => {
  const lease = released(leaseOf({ holderIdentity: 'a', leaseDurationSeconds: 15, leaseTransitions: 3 }), now);
  expect(lease.spec).toEqual({
    holderIdentity: '',
    leaseDurationSeconds: 1,
    acquireTime: NOW,
    renewTime: NOW,
    leaseTransitions: 3,
  });
  expect(holderOf(lease)).toBeUndefined();
});

test('a term is as long as the lease says, or else as one’s own', () => {
  expect(termOf(leaseOf({ leaseDurationSeconds: 4 }), 9)).toBe(4000);
  expect(termOf(leaseOf({}), 9)).toBe(9);
});
