import { describe, expect, test } from 'bun:test';
import { ANNOTATION_CONFIRMED } from '../../../schemas/keys.ts';
import { at, BORN, inPhase } from '../../../test/fixtures/objects.ts';
import { standingOf } from './standing.ts';

const NOW = BORN + 3_600_000;
const going = { metadata: { deletionTimestamp: at(9) } };
const owner = { apiVersion: 'machine.sapcloud.io/v1alpha1', kind: 'MachineSet', name: 's', uid: 's', controller: true };
const owned = { metadata: { ownerReferences: [owner] } };
const failed = (failureReason: string) => ({ ...owned, status: { failureReason } });
const held = (reason: string) => ({
  ...going,
  status: { failureReason: 'HealthTimedOut', deciding: { step: 'Drained', reason } },
});
const kept = { status: { failureReason: 'HealthTimedOut', currentStatus: { preserveExpiryTime: at(7_200) } } };

describe('how a machine counts in its zone', () => {
  test.each([
    ['Running: well', 'Running', {}, 'well'],
    ['Available, of a herd that joins no cluster: well', 'Available', {}, 'well'],
    ['updated in place: well', 'InPlaceUpdating', {}, 'well'],
    ['Unknown: ill', 'Unknown', {}, 'ill'],
    ['whose update in place failed: ill', 'InPlaceUpdateFailed', {}, 'ill'],
    ['Failed for its health: replaced', 'Failed', failed('HealthTimedOut'), 'replaced'],
    ['Failed because its VM vanished: replaced', 'Failed', failed('VmVanished'), 'replaced'],
    ['Failed for its health and going: replaced', 'Terminating', { ...failed('HealthTimedOut'), ...going }, 'replaced'],
    [
      'Failed for its health, with nobody who replaces it: ill',
      'Failed',
      { ...failed('VmVanished'), metadata: {} },
      'ill',
    ],
    ['Failed for its health and going, on its way: replaced', 'Terminating', held('Evicting'), 'replaced'],
    ['Failed for its health and going, held by a check: ill', 'Terminating', held('DeleteCheck'), 'ill'],
    ['Failed for its health and going, held by a hook: ill', 'Terminating', held('PreDrainHook'), 'ill'],
    ['Failed for its health and going, paused: ill', 'Terminating', held('Paused'), 'ill'],
    ['Failed for its health and kept: not at all', 'Failed', kept, undefined],
    ['that never joined: not at all', 'Failed', failed('JoinTimedOut'), undefined],
    ['new: not at all', '', {}, undefined],
    ['Pending: not at all', 'Pending', {}, undefined],
    ['CrashLoopBackOff: not at all', 'CrashLoopBackOff', {}, undefined],
    ['deleted on purpose while it ran: not at all', 'Running', going, undefined],
    ['deleted on purpose while it was ill: not at all', 'Unknown', going, undefined],
  ])('%s', (_what, phase, changes, standing) => {
    const { uid } = inPhase(phase).metadata;
    const confirmed = { [ANNOTATION_CONFIRMED]: `${uid} ${at(0)} virtual:///vm` };
    const { metadata, ...rest } = changes as { metadata?: object };
    const own = { metadata: { annotations: confirmed, ...metadata }, ...rest };
    expect(standingOf(inPhase(phase, 0, own), NOW)).toBe(standing as never);
  });

  test('whose VM nobody ever confirmed: not at all, for anybody may name one that is not there (hack/decisions/0028 W4)', () => {
    expect(standingOf(inPhase('Failed', 0, failed('VmVanished')), NOW)).toBeUndefined();
  });
});
