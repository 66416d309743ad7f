import { describe, expect, test } from 'bun:test';
import { at, BORN, inPhase, machine } from '../../../test/fixtures/objects.ts';
import { statusOf } from '../status/status.ts';
import { plan } from './flow.ts';
import { deleted, idle, readyNode, recorded, view, vm } from './view.fixture.ts';
import type { CallFailure, MachineView } from './view.ts';

/** Rows of the specifications that concern creation, by their names. */

const NOW = BORN + 60_000;
const LATE = BORN + 1_200_000;
const NONE = { at: 'absent', since: BORN } as const;
const asked = { ...idle, askedAt: NOW };
const known = { machine: machine(recorded), vm, calls: asked };
const failure: CallFailure = {
  method: 'createMachine',
  code: 'InvalidArgument',
  message: 'no such image',
  retryAt: NOW + 600_000,
  permanent: true,
};
const notReady = { ...readyNode, ready: false };

type Row = [what: string, facts: Partial<MachineView>, judgement: string];
const judge = (facts: Partial<MachineView>): string => {
  const { step, outcome } = plan(view(facts));
  return [step, outcome.kind, 'reason' in outcome ? outcome.reason : ''].filter(Boolean).join(' ');
};
const check = (rows: Row[]) => test.each(rows)('%s', (_what, facts, judgement) => expect(judge(facts)).toBe(judgement));

describe('hack/spec/mcm.md Annex B, Pending time-out: from the Machine’s creation, however recent its last update', () => {
  const pending = inPhase('Pending', 1_199, recorded);
  check([
    [
      'not yet',
      { ...known, machine: pending, now: LATE - 1, calls: { ...idle, askedAt: LATE - 1 } },
      'NodeRegistered wait NodeNotRegistered',
    ],
    [
      'now',
      { ...known, machine: pending, now: LATE, calls: { ...idle, askedAt: LATE } },
      'NodeRegistered fail RegistrationTimedOut',
    ],
    [
      'now, with a Node that is not ready',
      { ...known, machine: pending, now: LATE, calls: { ...idle, askedAt: LATE }, node: notReady },
      'NodeHealthy fail RegistrationTimedOut',
    ],
  ]);
});

describe('hack/spec/mcm.md 6.4 2: the status is asked before anything is made', () => {
  check([
    ['a VM that nobody asked after is not made', {}, 'VMCreated act GetVMStatus'],
    ['a VM that was found is adopted', { vm, calls: asked }, 'VMCreated act RecordVM'],
    ['a VM that is absent is made', { vm: NONE, calls: asked }, 'VMCreated act CreateVM'],
    ['a VM that is recorded is never made, although it is absent', { ...known, vm: NONE }, 'VMCreated fail VMNotFound'],
  ]);
});

describe('hack/spec/mcm.md 6.4b: Failed once creation has timed out, else CrashLoopBackOff', () => {
  const phase = (facts: Partial<MachineView>) => {
    const seen = view({ vm: NONE, calls: { ...asked, failure }, ...facts });
    return statusOf(seen, plan(seen), at(60))?.currentStatus?.phase;
  };
  test('before', () => expect(phase({})).toBe('CrashLoopBackOff'));
  test('after, although no retry is due', () => expect(phase({ now: LATE })).toBe('Failed'));
  test('after, while a call is in flight', () => {
    const inFlight = { method: 'createMachine', since: NOW } as const;
    expect(phase({ now: LATE, calls: { ...asked, inFlight } })).toBe('Failed');
  });
});

describe('hack/spec/cluster-api.md A1.12 L6: an error that a person must mend ends with the cause', () => {
  check([
    ['it stands while nothing changes', { vm: NONE, calls: { ...asked, failure } }, 'VMCreated fail InvalidArgument'],
    [
      'a change of the Machine, its class or its secret allows a try at once',
      { vm: NONE, calls: { ...asked, failure: { ...failure, retryAt: NOW } } },
      'VMCreated act CreateVM',
    ],
    ['a VM that is there counts for more', { vm, calls: { ...asked, failure } }, 'VMCreated act RecordVM'],
  ]);

  test('and is taken off the status', () => {
    const failed = machine({ ...recorded, status: { errorReason: 'InvalidArgument', errorMessage: 'no such image' } });
    const seen = view({ ...known, machine: failed, node: readyNode });
    expect(statusOf(seen, plan(seen), at(60))).toMatchObject({ errorReason: undefined, errorMessage: undefined });
  });
});

describe('hack/spec/cluster-api.md A1.12 L8: a VM is present, absent or unknown', () => {
  const leaving = machine({ ...recorded, metadata: { ...recorded.metadata, deletionTimestamp: at(50) } });
  check([
    ['present, and not on record: it is recorded', { vm, calls: asked }, 'VMCreated act RecordVM'],
    ['absent, and none is on record: it is made', { vm: NONE, calls: asked }, 'VMCreated act CreateVM'],
    ['unknown, and none is on record: the driver is asked', { calls: asked }, 'VMCreated act GetVMStatus'],
    [
      'unknown after an error: nothing is made in doubt',
      { calls: { ...asked, failure } },
      'VMCreated fail InvalidArgument',
    ],
    ['present, and on record: its Node is awaited', known, 'NodeRegistered wait NodeNotRegistered'],
    ['absent, and on record: it is given up', { ...known, vm: NONE }, 'VMCreated fail VMNotFound'],
    [
      'unknown, and on record: nothing is given up in doubt',
      { ...known, vm: { at: 'unknown' } },
      'NodeRegistered wait NodeNotRegistered',
    ],
    ['unknown, of a Machine that leaves: it is deleted', { machine: leaving }, 'VMDeleted act DeleteVM'],
    [
      'absent as far as the status says, of a Machine that leaves: it is deleted all the same',
      { machine: leaving, vm: NONE, calls: asked },
      'VMDeleted act DeleteVM',
    ],
    [
      'unknown after an error of the deletion: nothing is forgotten in doubt',
      { machine: leaving, calls: { ...asked, failure: { ...failure, method: 'deleteMachine' } } },
      'VMDeleted fail InvalidArgument',
    ],
    [
      'deleted, as the driver says: the Machine is let go',
      { machine: leaving, ...deleted },
      'FinalizerRemoved act RemoveFinalizer',
    ],
  ]);
});

describe('a VM that ran and is to be finished again', () => {
  const raw = { ...known, machine: inPhase('Running', 0, recorded), vm: { ...vm, initialized: false } };
  const cannot = { ...failure, method: 'initializeMachine' } as const;
  check([
    ['is finished', { ...raw, node: readyNode }, 'VMInitialized act InitializeVM'],
    [
      'goes on running when that fails',
      { ...raw, node: readyNode, calls: { ...asked, failure: cannot } },
      'Reconciled pass',
    ],
    [
      'is still judged by its Node',
      { ...raw, node: notReady, calls: { ...asked, failure: cannot } },
      'NodeHealthy wait NodeNotReady',
    ],
  ]);
});
