import { describe, expect, test } from 'bun:test';
import { ANNOTATION_CONFIRMED } from '../../../schemas/keys.ts';
import { at, BORN, inPhase } from '../../../test/fixtures/objects.ts';
import { healthOf, isHeard } from './zonehealth.ts';

const NOW = BORN + 3_600_000;
const going = { metadata: { deletionTimestamp: at(9) } };
const owner = { apiVersion: 'machine.sapcloud.io/v1alpha1', kind: 'MachineSet', name: 's', uid: 's', controller: true };
const owned = { metadata: { ownerReferences: [owner] } };
const failed = (failureReason: string) => ({ ...owned, status: { failureReason } });
const withStatus = (more: object) => ({ ...owned, status: { failureReason: 'VMNotFound', ...more } });
const onlyKept = { metadata: { deletionTimestamp: at(9), finalizers: ['example.com/audit'], ...owned.metadata } };
const held = (reason: string) => ({
  ...going,
  status: { failureReason: 'HealthTimedOut', currentStep: { name: 'Drained', reason } },
});
const kept = { status: { failureReason: 'HealthTimedOut', currentStatus: { preserveExpiryTime: at(7_200) } } };

describe('how a machine counts in its zone', () => {
  test.each([
    ['Running: healthy', 'Running', {}, 'healthy'],
    ['Available, of a herd that joins no cluster: healthy', 'Available', {}, 'healthy'],
    ['updated in place: healthy', 'InPlaceUpdating', {}, 'healthy'],
    ['Unknown: unhealthy', 'Unknown', {}, 'unhealthy'],
    ['whose update in place failed: unhealthy', 'InPlaceUpdateFailed', {}, 'unhealthy'],
    ['Failed for its health: replaced', 'Failed', failed('HealthTimedOut'), 'replaced'],
    ['Failed because its VM vanished: replaced', 'Failed', failed('VMNotFound'), 'replaced'],
    ['Failed for its health and going: replaced', 'Terminating', { ...failed('HealthTimedOut'), ...going }, 'replaced'],
    [
      'Failed for its health, with nobody who replaces it: unhealthy',
      'Failed',
      { ...failed('VMNotFound'), metadata: {} },
      'unhealthy',
    ],
    ['Failed for its health and going, on its way: replaced', 'Terminating', held('Evicting'), 'replaced'],
    // hack/decisions/0051 L124
    ['and also where its driver refuses its deletion', 'Terminating', held('PermissionDenied'), 'replaced'],
    ['and where the controller runs on its VM', 'Terminating', held('HostOfController'), 'replaced'],
    [
      'Failed for its health and going, held by a check: unhealthy',
      'Terminating',
      held('DeletionCheckPending'),
      'unhealthy',
    ],
    [
      'Failed for its health and going, held by a hook: unhealthy',
      'Terminating',
      held('WaitingForPreDrainHook'),
      'unhealthy',
    ],
    ['Failed for its health and going, paused: unhealthy', 'Terminating', held('Paused'), 'unhealthy'],
    [
      'Failed for its health, and only its object is kept: not at all (hack/decisions/0051 S36)',
      'Terminating',
      { ...failed('HealthTimedOut'), ...onlyKept },
      undefined,
    ],
    ['Failed for its health and kept: not at all', 'Failed', kept, undefined],
    ['that never joined: not at all', 'Failed', failed('RegistrationTimedOut'), undefined],
    ['new: not at all', '', {}, undefined],
    ['Pending: not at all', 'Pending', {}, undefined],
    ['CrashLoopBackOff: not at all', 'CrashLoopBackOff', {}, undefined],
    ['deleted on purpose while it ran: not at all', 'Running', going, undefined],
    ['deleted on purpose while it was unhealthy: not at all', 'Unknown', going, undefined],
  ])('%s', (_what, phase, changes, standing) => {
    const { uid } = inPhase(phase).metadata;
    const confirmed = { [ANNOTATION_CONFIRMED]: `${uid} ${at(0)} virtual:///vm` };
    const { metadata, ...rest } = changes as { metadata?: object };
    const own = { metadata: { annotations: confirmed, ...metadata }, ...rest };
    expect(healthOf(inPhase(phase, 0, own), NOW)).toBe(standing as never);
  });

  test.each([
    ['a VM that was there for nobody: not at all', failed('VMNotFound'), undefined],
    ['a VM whose Node was seen', withStatus({ nodeRef: { name: 'n' } }), 'replaced'],
    ['a VM that ran as the status tells', withStatus({ lastOperation: { type: 'HealthCheck' } }), 'replaced'],
    ['a VM that never came up as the status tells', withStatus({ lastOperation: { type: 'Create' } }), undefined],
    ['bad health', failed('HealthTimedOut'), 'replaced'],
    ['an update in place', failed('InPlaceUpdateAbandoned'), 'replaced'],
  ])('and a machine that nobody confirmed, Failed for %s (hack/decisions/0028 W4, O19)', (_what, changes, standing) => {
    for (const record of [undefined, `of-a-backup ${at(0)} virtual:///vm`]) {
      const own = { ...changes, metadata: { ...owned.metadata, annotations: { [ANNOTATION_CONFIRMED]: record } } };
      expect(healthOf(inPhase('Failed', 0, own as never), NOW)).toBe(standing as never);
    }
  });
});

/** hack/decisions/0028 T3, O19 */
describe('for other namespaces', () => {
  const { uid } = inPhase('Failed').metadata;
  const confirmed = { metadata: { annotations: { [ANNOTATION_CONFIRMED]: `${uid} ${at(0)} virtual:///vm` } } };
  test.each([
    ['a machine that is Unknown counts, whoever confirmed it', 'Unknown', {}, true],
    ['one that was given up does not', 'Failed', failed('HealthTimedOut'), false],
    ['nor one that leaves', 'Unknown', going, false],
    ['one whose VM was confirmed does', 'Failed', { ...failed('HealthTimedOut'), ...confirmed }, true],
  ])('%s', (_what, phase, changes, is) => expect(isHeard(inPhase(phase, 0, changes as never))).toBe(is));
});
