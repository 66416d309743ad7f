import { describe, expect, test } from 'bun:test';
import { ANNOTATION_CONFIRMED } from '../../../schemas/keys.ts';
import { at, BORN, inPhase } from '../../../test/fixtures/objects.ts';
import { standingOf } from './standing.ts';

const NOW = BORN + 3_600_000;
const going = { metadata: { deletionTimestamp: at(9) } };
const failed = (failureReason: string) => ({ status: { failureReason } });
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
    ['Failed for its health and going: replaced', 'Terminating', { ...going, ...failed('HealthTimedOut') }, 'replaced'],
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
