import { describe, expect, test } from 'bun:test';
import { at, BORN, machine } from '../../../test/fixtures/objects.ts';
import { plan } from './flow.ts';
import { deleted, idle, readyNode, recorded, view, vm } from './view.fixture.ts';
import type { CallFailure, DeletionFact, MachineView } from './view.ts';

/** A Machine that leaves, whose VM was to be deleted a while ago. */
const NOW = BORN + 3_600_000;
const ago = (seconds: number) => NOW - seconds * 1_000;
const leaving = { metadata: { deletionTimestamp: at(50), annotations: { 'drover.dev/class': '{}' } } };
const leaver = machine({ ...recorded, ...leaving });
const young = { limits: { ...view().limits, vmYouth: 7_200_000 } };
const failure: CallFailure = {
  method: 'getMachineStatus',
  code: 'Unavailable',
  message: 'no',
  retryAt: NOW + 5_000,
  permanent: false,
};

const answered = (seconds: number, more: Partial<DeletionFact> = {}, askedAt?: number) => ({
  ...idle,
  ...(askedAt !== undefined && { askedAt: ago(askedAt) }),
  deletion: { at: ago(seconds), ...more },
});
const denied = (since: number) => ({ vm: { at: 'absent', since: ago(since) } as const });
const heard = { heard: true } as const;
const inVain = { denied: true, ...heard } as const;

const force = machine({
  ...recorded,
  metadata: { ...leaving.metadata, labels: { node: 'm', 'force-deletion': 'True' } },
});

function judge(facts: Partial<MachineView>): string {
  const { step, outcome } = plan(view({ now: NOW, machine: leaver, node: readyNode, drain: undefined, ...facts }));
  const ms = outcome.kind === 'wait' && Number.isFinite(outcome.ms) ? ` ${outcome.ms / 1000}` : '';
  return outcome.kind === 'pass' ? step : `${step} ${outcome.kind} ${outcome.reason}${ms}`;
}

type Row = [string, Partial<MachineView>, string];
const check = (rows: readonly Row[]) => test.each(rows)('%s', (_what, facts, says) => expect(judge(facts)).toBe(says));

describe('a VM whose deletion was answered (hack/decisions/0055)', () => {
  check([
    ['is asked about at once', { calls: answered(0) }, 'VMDeleted act GetVMStatus'],
    ['keeps its Node while it is there', { vm, calls: answered(1, heard, 0) }, 'VMDeleted wait VMTerminating 5'],
    ['is asked about again', { vm, calls: answered(6, heard, 5) }, 'VMDeleted act GetVMStatus'],
    ['the more seldom the longer it takes', { vm, calls: answered(40, heard, 10) }, 'VMDeleted wait VMTerminating 20'],
    ['but every minute', { vm, calls: answered(300, heard, 59) }, 'VMDeleted wait VMTerminating 1'],
    ['is deleted once more after a while', { vm, calls: answered(600, heard, 20) }, 'VMDeleted act DeleteVM'],
    ['is gone when the driver says so', { ...denied(1), calls: answered(2, heard, 1) }, 'NodeDeleted act DeleteNode'],
    ['and then stays so', { ...deleted, node: { at: 'absent' } }, 'FinalizerRemoved act RemoveFinalizer'],
    ['keeps its Node while nobody answers', { calls: { ...answered(2), failure } }, 'VMDeleted wait Unavailable 5'],
    [
      'keeps it while only a person can help',
      { calls: { ...answered(2), failure: { ...failure, code: 'PermissionDenied', permanent: true } } },
      'VMDeleted fail PermissionDenied',
    ],
    [
      'is waited for while the driver is asked',
      { calls: { ...answered(2), inFlight: { method: 'getMachineStatus', since: NOW } } },
      'VMDeleted wait VMTerminating',
    ],
    [
      'is waited for while it is deleted once more',
      { vm, calls: { ...answered(700, heard, 20), inFlight: { method: 'deleteMachine', since: NOW } } },
      'VMDeleted wait DriverCallInProgress',
    ],
    [
      'is believed to be where no driver can tell',
      { vm: { ...vm, assumed: true }, calls: answered(1, heard, 0) },
      'NodeDeleted act DeleteNode',
    ],
    [
      'is believed to be by force if nobody answers',
      { machine: force, calls: { ...answered(2), failure } },
      'NodeDeleted act DeleteNode',
    ],
    [
      'is waited for by force as well while it is there',
      { machine: force, vm, calls: answered(1, heard, 0) },
      'VMDeleted wait VMTerminating 5',
    ],
  ]);
});

describe('a no of the driver is not believed at once (hack/decisions/0057)', () => {
  const bare = machine({ metadata: { deletionTimestamp: at(50) } });
  const unseen = { ...young, node: { at: 'absent' } } as const;
  const unasked = { ...bare, metadata: { ...bare.metadata, annotations: {} } };
  const joined = machine({ ...recorded, ...leaving, status: { nodeRef: { name: 'm', uid: 'u' } } });
  check([
    ['of a young VM that has not joined', { ...unseen, calls: answered(1) }, 'VMDeleted wait VMTerminating 9'],
    ['but later', { ...unseen, calls: answered(10) }, 'VMDeleted act GetVMStatus'],
    [
      'by one question',
      { ...unseen, ...denied(0), calls: answered(10, heard, 0) },
      'FinalizerRemoved act RemoveFinalizer',
    ],
    ['of one whose Node is there it is', { ...young, calls: answered(1) }, 'VMDeleted act GetVMStatus'],
    ['of one that has joined it is', { ...unseen, machine: joined, calls: answered(1) }, 'VMDeleted act GetVMStatus'],
    [
      'of one that nobody ever asked for it is',
      { ...unseen, machine: unasked, calls: answered(1) },
      'VMDeleted act GetVMStatus',
    ],
    [
      'of one that was denied before',
      { ...denied(3), calls: answered(1, { denied: true }) },
      'VMDeleted wait VMTerminating 7',
    ],
    [
      'but it is when that was long ago',
      { ...denied(60), calls: answered(1, { denied: true }) },
      'VMDeleted act GetVMStatus',
    ],
    ['and denied again it is gone', { ...denied(11), calls: answered(9, inVain, 1) }, 'NodeDeleted act DeleteNode'],
    ['by force at once', { ...denied(3), machine: force, calls: answered(2, inVain, 1) }, 'NodeDeleted act DeleteNode'],
    ['not when that came too soon', { ...denied(11), calls: answered(9, inVain, 5) }, 'VMDeleted act GetVMStatus'],
    ['one that shows all the same is deleted', { vm, calls: answered(2, inVain, 1) }, 'VMDeleted act DeleteVM'],
  ]);
});
