import { describe, expect, test } from 'bun:test';
import { LABEL_FORCE_DELETION } from '../../../schemas/keys.ts';
import { at, BORN, machine } from '../../../test/fixtures/objects.ts';
import { nextDeadline, plan } from './flow.ts';
import { idle, recorded, view, vm } from './view.fixture.ts';
import type { CallsFact, MachineView } from './view.ts';

const nameless = machine({ metadata: { deletionTimestamp: at(50) } });
const namesakes = {
  method: 'getMachineStatus',
  code: 'OutOfRange',
  message: '2 VMs are named m',
  permanent: false,
  retryAt: BORN + 30_000,
} as const;
const mayNot = new Map([['VMLocated', { message: 'no', retryAt: Infinity }]]);
const heir = { at: 'heir', of: { installation: 'here', namespace: 'herd', name: 'm', uid: 'before' } } as const;
const sent = { ...idle, failure: { ...namesakes, method: 'deleteMachine', code: 'Unavailable' } } as const;
const creating = (ms: number): CallsFact => ({
  ...idle,
  inFlight: { method: 'createMachine', since: view().now - ms },
});
const byForce = machine({ metadata: { deletionTimestamp: at(50), labels: { [LABEL_FORCE_DELETION]: 'True' } } });

describe('a Machine that leaves and does not record its VM', () => {
  test.each<[string, Partial<MachineView>, string, string]>([
    ['asks for it', {}, 'VMLocated', 'GetVMStatus'],
    ['records it', { vm }, 'VMLocated', 'RecordVM'],
    ['goes on when that may not be recorded', { vm, refused: mayNot }, 'VMDeleted', 'DeleteVM'],
    ['goes on when there is none', { vm: { at: 'absent', since: BORN } }, 'VMDeleted', 'DeleteVM'],
    ['goes on without its class', { class: { at: 'missing', name: 'small' } }, 'VMDeleted', 'ClassNotFound'],
    ['goes on when several VMs have its name', { calls: { ...idle, failure: namesakes } }, 'VMDeleted', 'DeleteVM'],
    [
      'records what came to light under its name when a deletion was sent by its token: nobody can claim it else (0051 L52)',
      { vm, claim: heir, calls: sent },
      'VMLocated',
      'RecordVM',
    ],
    // hack/decisions/0051 L120
    ['first lets its creation end', { calls: creating(9_999) }, 'VMDeleted', 'DriverCallInProgress'],
    ['gives its creation up after 10 seconds', { calls: creating(10_000) }, 'VMDeleted', 'CancelDriverCall'],
    ['gives it up at once by force', { calls: creating(0), machine: byForce }, 'VMDeleted', 'CancelDriverCall'],
  ])('%s', (_what, facts, step, reason) =>
    expect(plan(view({ machine: nameless, ...facts }))).toMatchObject({ step, outcome: { reason } }),
  );
});

const NOW = BORN + 60_000;
const failure = { method: 'createMachine', code: 'Unavailable', message: 'away', permanent: false } as const;

describe('a pass follows another only after a while', () => {
  test.each<[string, Partial<MachineView>, number]>([
    ['when a failed call is tried again', { calls: { ...idle, failure: { ...failure, retryAt: NOW + 5_000 } } }, 5_000],
    [
      'never while the VM is being deleted, whatever failed before',
      { calls: { ...idle, inFlight: { method: 'deleteMachine', since: NOW }, failure: { ...failure, retryAt: NOW } } },
      Infinity,
    ],
  ])('%s', (_what, facts, ms) => expect(nextDeadline(view({ machine: nameless, ...facts }))).toBe(ms));

  test('never while a driver works past the end of the creation, which is Failed', () => {
    const old = { now: BORN + 1_200_000, machine: machine(recorded), vm: { ...vm, initialized: false } };
    const inFlight = { method: 'initializeMachine', since: NOW } as const;
    const late = view({ ...old, calls: { ...idle, askedAt: BORN + 1_200_000, inFlight } });
    expect(plan(late).outcome).toMatchObject({ kind: 'fail', reason: 'CreationTimedOut' });
    expect(nextDeadline(late)).toBe(60_000);
  });
});
