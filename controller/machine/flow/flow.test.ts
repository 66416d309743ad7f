import { describe, expect, test } from 'bun:test';
import { at, BORN, inPhase, machine } from '../../../test/fixtures/objects.ts';
import { plan } from './flow.ts';
import { deleted, idle, readyNode, recorded, view, vm } from './view.fixture.ts';
import type { CallFailure, MachineView } from './view.ts';

const NOW = BORN + 60_000;
const failure = (changes: Partial<CallFailure> = {}): CallFailure => ({
  method: 'createMachine',
  code: 'Unavailable',
  message: 'the cloud is away',
  retryAt: NOW + 5_000,
  permanent: false,
  ...changes,
});
const asked = { ...idle, askedAt: NOW };
const inFlight = (method: 'createMachine' | 'initializeMachine' | 'getMachineStatus' | 'deleteMachine') => ({
  ...asked,
  inFlight: { method, since: NOW },
});
const notReady = { ...readyNode, ready: false };
const foreign = { at: 'foreign', name: 'm', providerID: 'other:///1', stale: false } as const;
const late = { now: BORN + 1_200_000 };
const gone = { at: 'absent', since: BORN } as const;
const missing = { at: 'absent', since: NOW } as const;
const lost = { status: { errorReason: 'VMNotFound', currentStatus: { phase: 'Failed' as const } } };
const known = { machine: machine(recorded), vm, calls: asked };
const running = (since: number) => ({ ...known, machine: inPhase('Running', since, recorded) });
const unknown = (since: number) => ({ ...known, machine: inPhase('Unknown', since, recorded) });

type Row = [what: string, facts: Partial<MachineView>, step: string, reason: string];
const judge = (facts: Partial<MachineView>) => {
  const { step, outcome } = plan(view(facts));
  return [step, outcome.kind === 'pass' ? 'pass' : `${outcome.kind} ${outcome.reason}`];
};

/** A Machine that is paused, and told to be. */
const paused = {
  annotations: { 'cluster.x-k8s.io/paused': '' },
  labels: { 'vmoperator.vmware.com/paused': 'devops' },
};

describe('a living Machine', () => {
  const rows: Row[] = [
    ['that is paused', { machine: machine({ metadata: paused }) }, 'Paused', 'wait Paused'],
    ['without its class', { class: { at: 'missing', name: 'small' } }, 'ClassReady', 'wait ClassNotFound'],
    ['without its secret', { class: { at: 'secretMissing', secret: 'herd/s' } }, 'ClassReady', 'wait SecretNotFound'],
    ['of another provider', { class: { at: 'foreign', provider: 'AWS' } }, 'ClassReady', 'wait NoDriverForProvider'],
    [
      'without its finalizer',
      { machine: machine({ metadata: { finalizers: [] } }) },
      'FinalizerAdded',
      'act AddFinalizer',
    ],
    ['of which nothing is known', {}, 'VMCreated', 'act GetVMStatus'],
    ['without a VM', { vm: gone }, 'VMCreated', 'act CreateVM'],
    [
      'whose VM is being made',
      { vm: gone, calls: inFlight('createMachine') },
      'VMCreated',
      'wait DriverCallInProgress',
    ],
    [
      'in doubt while the driver is asked',
      { calls: inFlight('getMachineStatus') },
      'VMCreated',
      'wait DriverCallInProgress',
    ],
    [
      'whose class has no slot free',
      { vm: gone, calls: { ...asked, full: ['createMachine'] } },
      'VMCreated',
      'wait WaitingForDriverSlot',
    ],
    [
      'after an error that may pass',
      { vm: gone, calls: { ...asked, failure: failure() } },
      'VMCreated',
      'wait Unavailable',
    ],
    [
      'after an error that a person must mend',
      { vm: gone, calls: { ...asked, failure: failure({ code: 'InvalidArgument', permanent: true }) } },
      'VMCreated',
      'fail InvalidArgument',
    ],
    [
      'whose retry is due',
      { vm: gone, calls: { ...asked, failure: failure({ retryAt: NOW }) } },
      'VMCreated',
      'act CreateVM',
    ],
    [
      'in doubt whose retry is due',
      { calls: { ...asked, failure: failure({ retryAt: NOW }) } },
      'VMCreated',
      'act GetVMStatus',
    ],
    ['without a VM for too long', { ...late, vm: gone }, 'VMCreated', 'fail CreationTimedOut'],
    ['in doubt for too long', late, 'VMCreated', 'fail CreationTimedOut'],
    ['whose VM is found', { vm, calls: asked }, 'VMCreated', 'act RecordVM'],
    ['whose VM is found late', { ...late, vm, calls: asked }, 'VMCreated', 'act RecordVM'],
    [
      'with an id but no node label',
      { machine: machine({ spec: recorded.spec }), vm, calls: asked },
      'VMCreated',
      'act RecordVM',
    ],
    [
      'with an id that needs no node label',
      { machine: machine({ spec: recorded.spec }), vm, calls: asked, node: { at: 'none' } },
      'Reconciled',
      'pass',
    ],
    ['whose recorded VM is gone', { ...known, vm: gone }, 'VMCreated', 'fail VMNotFound'],
    [
      'that was well until now',
      { ...running(30), node: { ...notReady, changedAt: NOW }, now: NOW + 500 },
      'VMCreated',
      'act GetVMStatus',
    ],
    ['whose recorded VM is not found once', { ...known, vm: missing }, 'NodeRegistered', 'wait NodeNotRegistered'],
    [
      'whose recorded VM is to be looked for again',
      { ...known, vm: missing, now: NOW + 10_000 },
      'VMCreated',
      'act GetVMStatus',
    ],
    ['whose VM is gone while its Node is ready', { ...running(30), vm: gone, node: readyNode }, 'Reconciled', 'pass'],
    [
      'that was lost before this process began',
      { ...known, machine: machine({ ...recorded, ...lost }), vm: { at: 'unknown' } },
      'VMCreated',
      'fail VMNotFound',
    ],
    [
      'that was lost and is found again',
      { ...known, machine: machine({ ...recorded, ...lost }), node: readyNode },
      'Reconciled',
      'pass',
    ],
    ['whose recorded VM was not asked after', { ...known, calls: idle }, 'VMCreated', 'act GetVMStatus'],
    [
      'whose recorded VM is in doubt',
      { ...known, vm: { at: 'unknown' }, calls: { ...asked, failure: failure() } },
      'NodeRegistered',
      'wait NodeNotRegistered',
    ],
    [
      'whose VM is to be initialized',
      { ...known, vm: { ...vm, initialized: false } },
      'VMInitialized',
      'act InitializeVM',
    ],
    ['whose Node is not there yet', known, 'NodeRegistered', 'wait NodeNotRegistered'],
    ['whose Node’s name is taken', { ...known, node: foreign }, 'NodeRegistered', 'wait NodeNotOwned'],
    [
      'whose Node’s name was taken before (hack/spec/mcm.md 6.4, stale node)',
      { ...known, node: { ...foreign, stale: true } },
      'NodeRegistered',
      'fail NodeNameTaken',
    ],
    [
      'that runs, and whose Node’s name another VM took',
      { ...running(30), node: { ...foreign, stale: true } },
      'NodeHealthy',
      'wait NodeNotFound',
    ],
    [
      'whose Node never came',
      { ...known, ...late, calls: { ...idle, askedAt: late.now } },
      'NodeRegistered',
      'fail RegistrationTimedOut',
    ],
    ['whose Node is not ready yet', { ...known, node: notReady }, 'NodeHealthy', 'wait NodeNotReady'],
    [
      'whose Node was never ready',
      { ...known, ...late, calls: { ...idle, askedAt: late.now }, node: notReady },
      'NodeHealthy',
      'fail RegistrationTimedOut',
    ],
    [
      'whose Node waits for critical components',
      { ...known, node: { ...readyNode, critical: true } },
      'NodeHealthy',
      'wait CriticalComponentsNotReady',
    ],
    [
      'whose Node waited too long for critical components (hack/spec/mcm.md 6.5 D: Pending)',
      { ...known, ...late, calls: { ...idle, askedAt: late.now }, node: { ...readyNode, critical: true } },
      'NodeHealthy',
      'fail RegistrationTimedOut',
    ],
    ['whose Node is ready', { ...known, node: readyNode }, 'Reconciled', 'pass'],
    ['without a target cluster', { ...known, node: { at: 'none' } }, 'Reconciled', 'pass'],
    ['that runs', { ...running(30), node: readyNode }, 'Reconciled', 'pass'],
    [
      'that runs with a critical taint',
      { ...running(30), node: { ...readyNode, critical: true } },
      'Reconciled',
      'pass',
    ],
    ['that ran until now', { ...running(30), node: notReady }, 'NodeHealthy', 'wait NodeNotReady'],
    ['whose Node went missing', running(30), 'NodeHealthy', 'wait NodeNotFound'],
    ['that is unknown', { ...unknown(30), node: notReady }, 'NodeHealthy', 'wait NodeNotReady'],
    ['that is unknown for too long', { ...unknown(-600), node: notReady }, 'NodeHealthy', 'fail HealthTimedOut'],
    ['that is unknown without a Node for too long', unknown(-600), 'NodeHealthy', 'fail HealthTimedOut'],
    [
      'that is unknown but healthy again',
      { ...unknown(-600), node: { ...readyNode, critical: true } },
      'Reconciled',
      'pass',
    ],
  ];
  test.each(rows)('%s', (_what, facts, step, reason) => expect(judge(facts)).toEqual([step, reason]));

  test('whose health time-out is switched off is never Failed for it', () => {
    const patient = inPhase('Unknown', -600, { ...recorded, spec: { ...recorded.spec, disableHealthTimeout: true } });
    expect(judge({ ...known, machine: patient, node: notReady })).toEqual(['NodeHealthy', 'wait NodeNotReady']);
  });

  test('that Failed for its health and is healthy again runs', () => {
    const failed = inPhase('Failed', 0, { ...recorded, status: { lastOperation: { type: 'HealthCheck' } } });
    expect(judge({ ...known, machine: failed, node: notReady })).toEqual(['NodeHealthy', 'fail HealthTimedOut']);
    expect(judge({ ...known, machine: failed, node: readyNode })).toEqual(['Reconciled', 'pass']);
  });
});

test('a Machine that waits for a slot looks again by itself', () => {
  const { outcome } = plan(view({ vm: gone, calls: { ...asked, full: ['createMachine'] } }));
  expect(outcome).toMatchObject({ kind: 'wait', reason: 'WaitingForDriverSlot', ms: 30_000 });
});

describe('a Machine that is being deleted', () => {
  const leaving = machine({ ...recorded, metadata: { ...recorded.metadata, deletionTimestamp: at(50) } });
  const rows: Row[] = [
    [
      'without our finalizer',
      { machine: machine({ metadata: { finalizers: [], deletionTimestamp: at(50) } }) },
      'FinalizerAdded',
      'wait FinalizerMissing',
    ],
    [
      'that is paused: its deletion is held',
      { machine: machine({ metadata: { ...paused, deletionTimestamp: at(50) } }) },
      'Paused',
      'wait Paused',
    ],
    ['whose VM may be there', {}, 'VMDeleted', 'act DeleteVM'],
    ['whose VM is known to be absent', { vm: gone }, 'VMDeleted', 'act DeleteVM'],
    ['whose VM is still being made', { calls: inFlight('createMachine') }, 'VMDeleted', 'wait DriverCallInProgress'],
    [
      'whose driver was told to give up a creation',
      { calls: { ...asked, inFlight: { method: 'createMachine', since: NOW, cancelled: true } } },
      'VMDeleted',
      'wait DriverCallCancelling',
    ],
    [
      'whose VM is being updated',
      { update: { slotFree: true, inFlight: { method: 'updateMachine', since: NOW } } },
      'VMDeleted',
      'act CancelDriverCall',
    ],
    ['whose VM is being deleted', { calls: inFlight('deleteMachine') }, 'VMDeleted', 'wait DriverCallInProgress'],
    [
      'whose driver is away',
      { calls: { ...idle, failure: failure({ method: 'deleteMachine' }) } },
      'VMDeleted',
      'wait Unavailable',
    ],
    [
      'whose driver needs a person',
      { calls: { ...idle, failure: failure({ method: 'deleteMachine', code: 'PermissionDenied', permanent: true }) } },
      'VMDeleted',
      'fail PermissionDenied',
    ],
    ['of another provider', { class: { at: 'foreign', provider: 'AWS' } }, 'VMDeleted', 'wait NoDriverForProvider'],
    ['whose VM is gone, but not its Node', { ...deleted, node: readyNode }, 'NodeDeleted', 'act DeleteNode'],
    [
      'whose Node is on its way out',
      { ...deleted, node: { ...readyNode, deleting: true } },
      'FinalizerRemoved',
      'act RemoveFinalizer',
    ],
    ['whose Node belongs to another', { ...deleted, node: foreign }, 'FinalizerRemoved', 'act RemoveFinalizer'],
    ['of which nothing is left', { ...deleted }, 'FinalizerRemoved', 'act RemoveFinalizer'],
  ];
  test.each(rows)('%s', (_what, facts, step, reason) =>
    expect(judge({ machine: leaving, ...facts })).toEqual([step, reason]),
  );
});
