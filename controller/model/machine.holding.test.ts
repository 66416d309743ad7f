import { describe, expect, test } from 'bun:test';
import { FINALIZER } from '../../schemas/keys.ts';
import type { Machine } from '../../schemas/machine.ts';
import { at, inPhase } from '../../test/fixtures/objects.ts';
import { mayHoldVm, takenBy } from './machine.ts';

const up = inPhase('Running');
const leaving = inPhase('Terminating', 0, { metadata: { deletionTimestamp: at(1) } });
/** hack/decisions/0051 S36 */
const onlyKept = inPhase('Terminating', 0, {
  metadata: { deletionTimestamp: at(1), finalizers: ['example.com/audit'] },
});
const keptToo = inPhase('Terminating', 0, {
  metadata: { deletionTimestamp: at(1), finalizers: ['example.com/audit', FINALIZER] },
});
const lost = inPhase('Failed', 0, { status: { errorReason: 'VMNotFound' } });
const lostAndLeaving = { ...leaving, status: { ...leaving.status, failureReason: 'VMNotFound' } };

describe('of replicas + maxSurge a set takes what it has or has yet to make, and what leaves (hack/decisions/0051 S5)', () => {
  test.each<[string, number, Machine[], number]>([
    ['that has yet to make two', 3, [up], 3],
    ['that has two too many', 1, [up, up, up], 3],
    ['that replaces one', 1, [leaving], 2],
    ['that shrank and grows again', 3, [up, leaving, leaving], 5],
    ['that shrank', 0, [leaving], 1],
    ['of which one has lost its VM', 0, [lost], 0],
    ['of which one is only kept by a finalizer of somebody else', 2, [up, onlyKept], 2],
    ['that is to replace that one', 1, [lost], 1],
  ])('one %s', (_, replicas, machines, taken) => {
    expect(takenBy(replicas, machines)).toBe(taken);
  });
});

test.each([
  ['Failed', lost, false],
  ['Running', { ...lost, status: { ...lost.status, currentStatus: { phase: 'Running' as const } } }, true],
  ['Terminating', leaving, true],
  ['Terminating, and kept by a finalizer of somebody else beside ours', keptToo, true],
  ['Terminating, and kept by that alone', onlyKept, false],
  // hack/decisions/0051 S12
  ['Terminating, and was given up because its VM is gone', lostAndLeaving, false],
  [
    'Running again',
    { ...lostAndLeaving, metadata: { ...lostAndLeaving.metadata, deletionTimestamp: undefined } },
    true,
  ],
])('whether one that is %s may hold a VM', (_, machine, may) => {
  expect(mayHoldVm(machine)).toBe(may);
});
