import { describe, expect, test } from 'bun:test';
import { at, BORN, inPhase } from '../../../test/fixtures/objects.ts';
import { busyByOwner } from '../../model/machine.ts';
import { inTheWay, Permits } from './replacementbudget.ts';

const NOW = BORN + 3_600_000;
const named = (name: string) => ({ metadata: { name, uid: `uid-${name}` } });
const ill = inPhase('Unknown', 0, { metadata: { ...named('ill').metadata, labels: { node: 'ill' } } });

describe('hack/spec/mcm.md Annex B, Meltdown (hack/spec/cluster-api.md F4 24: whatever is replaced counts): a machine that has been Unknown for too long, beside another one of its herd', () => {
  const preserved = { status: { currentStatus: { preserveExpiryTime: at(7_200) } } };
  const expired = { status: { currentStatus: { preserveExpiryTime: at(60) } } };
  const going = { metadata: { ...named('other').metadata, deletionTimestamp: at(9) } };
  const onlyKept = { metadata: { ...going.metadata, finalizers: ['example.com/audit'] } };
  test.each([
    ['Unknown: may fail', 'Unknown', {}, true],
    ['Running: may fail', 'Running', {}, true],
    ['Failed and preserved: may fail', 'Failed', preserved, true],
    ['Failed: refused', 'Failed', {}, false],
    ['Failed and preserved until a while ago: refused', 'Failed', expired, false],
    ['Terminating: refused', 'Terminating', {}, false],
    ['being deleted, before its phase says so: refused', 'Running', going, false],
    ['that only a finalizer of somebody else keeps: may fail (hack/decisions/0051 S36)', 'Terminating', onlyKept, true],
    ['Pending: refused', 'Pending', {}, false],
    ['CrashLoopBackOff: refused', 'CrashLoopBackOff', {}, false],
    ['Available, so that it has yet to join: refused', 'Available', {}, false],
    ['in an in-place phase: refused', 'InPlaceUpdating', {}, false],
    ['whose update in place failed: may fail, or both would wait for ever', 'InPlaceUpdateFailed', {}, true],
    ['without a phase: refused', '', {}, false],
  ])('%s', (_row, phase, changes, allowed) => {
    const other = inPhase(phase, 0, { ...named('other'), ...changes });
    expect(inTheWay(ill, [ill, other], NOW)?.metadata.name).toBe(allowed ? undefined : 'other');
    if (!allowed) expect(busyByOwner(other)).not.toEqual([]);
    if (_row.startsWith('that only')) expect(busyByOwner(other)).toEqual([]);
  });
});

test('where machines join no cluster, an Available one stands (hack/spec/mcm.md 0.2)', () => {
  const other = inPhase('Available', 0, named('other'));
  expect(inTheWay(inPhase('Unknown', 0, named('ill')), [other], NOW)).toBeUndefined();
});

describe('hack/spec/mcm.md Annex B, Meltdown: the permit of a herd', () => {
  const other = inPhase('Unknown', 0, named('other'));
  test.each([
    ['is held against every other machine', 'herd', other, NOW + 9_999, 'ill'],
    ['is not held against its holder', 'herd', ill, NOW, undefined],
    ['is no matter to another herd', 'another', other, NOW, undefined],
    ['ends after 10 s', 'herd', other, NOW + 10_000, undefined],
  ])('%s', (_what, herd, machine, now, holder) => {
    const permits = new Permits();
    permits.take('herd', ill, NOW);
    expect(permits.otherHolderOf(herd, machine, now)).toBe(holder);
  });
});
