import { describe, expect, test } from 'bun:test';
import { at, BORN, inPhase, machine } from '../../../test/fixtures/objects.ts';
import { nextDeadline, plan } from './flow.ts';
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
const flying = (method: 'createMachine' | 'initializeMachine' | 'getMachineStatus' | 'deleteMachine') => ({
  ...asked,
  flying: { method, since: NOW },
});
const notReady = { ...readyNode, ready: false };
const foreign = { at: 'foreign', name: 'm', providerID: 'other:///1', stale: false } as const;
const late = { now: BORN + 1_200_000 };
const gone = { at: 'absent', since: BORN } as const;
const missing = { at: 'absent', since: NOW } as const;
const lost = { status: { errorReason: 'VmVanished', currentStatus: { phase: 'Failed' as const } } };
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
    ['that is paused', { machine: machine({ metadata: paused }) }, 'Unpaused', 'wait Paused'],
    ['without its class', { class: { at: 'missing', name: 'small' } }, 'Classified', 'wait ClassNotFound'],
    ['without its secret', { class: { at: 'secretMissing', secret: 'herd/s' } }, 'Classified', 'wait SecretNotFound'],
    ['of another provider', { class: { at: 'foreign', provider: 'AWS' } }, 'Classified', 'wait ForeignProvider'],
    ['without its finalizer', { machine: machine({ metadata: { finalizers: [] } }) }, 'Guarded', 'act AddFinalizer'],
    ['of which nothing is known', {}, 'Created', 'act AskVm'],
    ['without a VM', { vm: gone }, 'Created', 'act CreateVm'],
    ['whose VM is being made', { vm: gone, calls: flying('createMachine') }, 'Created', 'wait DriverWorking'],
    ['in doubt while the driver is asked', { calls: flying('getMachineStatus') }, 'Created', 'wait DriverWorking'],
    [
      'whose class has no slot free',
      { vm: gone, calls: { ...asked, full: ['createMachine'] } },
      'Created',
      'wait WaitingForSlot',
    ],
    [
      'after an error that may pass',
      { vm: gone, calls: { ...asked, failure: failure() } },
      'Created',
      'wait Unavailable',
    ],
    [
      'after an error that a person must mend',
      { vm: gone, calls: { ...asked, failure: failure({ code: 'InvalidArgument', permanent: true }) } },
      'Created',
      'fail InvalidArgument',
    ],
    [
      'whose retry is due',
      { vm: gone, calls: { ...asked, failure: failure({ retryAt: NOW }) } },
      'Created',
      'act CreateVm',
    ],
    [
      'in doubt whose retry is due',
      { calls: { ...asked, failure: failure({ retryAt: NOW }) } },
      'Created',
      'act AskVm',
    ],
    ['without a VM for too long', { ...late, vm: gone }, 'Created', 'fail CreationTimedOut'],
    ['in doubt for too long', late, 'Created', 'fail CreationTimedOut'],
    ['whose VM is found', { vm, calls: asked }, 'Created', 'act RecordVm'],
    ['whose VM is found late', { ...late, vm, calls: asked }, 'Created', 'act RecordVm'],
    [
      'with an id but no node label',
      { machine: machine({ spec: recorded.spec }), vm, calls: asked },
      'Created',
      'act RecordVm',
    ],
    [
      'with an id that needs no node label',
      { machine: machine({ spec: recorded.spec }), vm, calls: asked, node: { at: 'none' } },
      'Settled',
      'pass',
    ],
    ['whose recorded VM is gone', { ...known, vm: gone }, 'Created', 'fail VmVanished'],
    [
      'that was well until now',
      { ...running(30), node: { ...notReady, changedAt: NOW }, now: NOW + 500 },
      'Created',
      'act AskVm',
    ],
    ['whose recorded VM is not found once', { ...known, vm: missing }, 'Joined', 'wait NodeNotRegistered'],
    [
      'whose recorded VM is to be looked for again',
      { ...known, vm: missing, now: NOW + 10_000 },
      'Created',
      'act AskVm',
    ],
    ['whose VM is gone while its Node is ready', { ...running(30), vm: gone, node: readyNode }, 'Settled', 'pass'],
    [
      'that was lost before this process began',
      { ...known, machine: machine({ ...recorded, ...lost }), vm: { at: 'unknown' } },
      'Created',
      'fail VmVanished',
    ],
    [
      'that was lost and is found again',
      { ...known, machine: machine({ ...recorded, ...lost }), node: readyNode },
      'Settled',
      'pass',
    ],
    ['whose recorded VM was not asked after', { ...known, calls: idle }, 'Created', 'act AskVm'],
    [
      'whose recorded VM is in doubt',
      { ...known, vm: { at: 'unknown' }, calls: { ...asked, failure: failure() } },
      'Joined',
      'wait NodeNotRegistered',
    ],
    [
      'whose VM is to be initialized',
      { ...known, vm: { ...vm, initialized: false } },
      'Initialized',
      'act InitializeVm',
    ],
    ['whose Node is not there yet', known, 'Joined', 'wait NodeNotRegistered'],
    ['whose Node’s name is taken', { ...known, node: foreign }, 'Joined', 'wait NodeIsForeign'],
    [
      'whose Node’s name was taken before (MCM 6.4, stale node)',
      { ...known, node: { ...foreign, stale: true } },
      'Joined',
      'fail NodeNameTaken',
    ],
    [
      'that runs, and whose Node’s name another VM took',
      { ...running(30), node: { ...foreign, stale: true } },
      'Healthy',
      'wait NodeMissing',
    ],
    [
      'whose Node never came',
      { ...known, ...late, calls: { ...idle, askedAt: late.now } },
      'Joined',
      'fail JoinTimedOut',
    ],
    ['whose Node is not ready yet', { ...known, node: notReady }, 'Healthy', 'wait NodeNotReady'],
    [
      'whose Node was never ready',
      { ...known, ...late, calls: { ...idle, askedAt: late.now }, node: notReady },
      'Healthy',
      'fail JoinTimedOut',
    ],
    [
      'whose Node waits for critical components',
      { ...known, node: { ...readyNode, critical: true } },
      'Healthy',
      'wait CriticalComponentsNotReady',
    ],
    [
      'whose Node waited too long for critical components (MCM 6.5 D: Pending)',
      { ...known, ...late, calls: { ...idle, askedAt: late.now }, node: { ...readyNode, critical: true } },
      'Healthy',
      'fail JoinTimedOut',
    ],
    ['whose Node is ready', { ...known, node: readyNode }, 'Settled', 'pass'],
    ['without a target cluster', { ...known, node: { at: 'none' } }, 'Settled', 'pass'],
    ['that runs', { ...running(30), node: readyNode }, 'Settled', 'pass'],
    ['that runs with a critical taint', { ...running(30), node: { ...readyNode, critical: true } }, 'Settled', 'pass'],
    ['that ran until now', { ...running(30), node: notReady }, 'Healthy', 'wait NodeNotReady'],
    ['whose Node went missing', running(30), 'Healthy', 'wait NodeMissing'],
    ['that is unknown', { ...unknown(30), node: notReady }, 'Healthy', 'wait NodeNotReady'],
    ['that is unknown for too long', { ...unknown(-600), node: notReady }, 'Healthy', 'fail HealthTimedOut'],
    ['that is unknown without a Node for too long', unknown(-600), 'Healthy', 'fail HealthTimedOut'],
    [
      'that is unknown but healthy again',
      { ...unknown(-600), node: { ...readyNode, critical: true } },
      'Settled',
      'pass',
    ],
  ];
  test.each(rows)('%s', (_what, facts, step, reason) => expect(judge(facts)).toEqual([step, reason]));

  test('whose health time-out is switched off is never Failed for it', () => {
    const patient = inPhase('Unknown', -600, { ...recorded, spec: { ...recorded.spec, disableHealthTimeout: true } });
    expect(judge({ ...known, machine: patient, node: notReady })).toEqual(['Healthy', 'wait NodeNotReady']);
  });

  test('that Failed for its health and is healthy again runs', () => {
    const failed = inPhase('Failed', 0, { ...recorded, status: { lastOperation: { type: 'HealthCheck' } } });
    expect(judge({ ...known, machine: failed, node: notReady })).toEqual(['Healthy', 'fail HealthTimedOut']);
    expect(judge({ ...known, machine: failed, node: readyNode })).toEqual(['Settled', 'pass']);
  });
});

test('a Machine that waits for a slot looks again by itself', () => {
  const { outcome } = plan(view({ vm: gone, calls: { ...asked, full: ['createMachine'] } }));
  expect(outcome).toMatchObject({ kind: 'wait', reason: 'WaitingForSlot', ms: 30_000 });
});

describe('a Machine that is being deleted', () => {
  const leaving = machine({ ...recorded, metadata: { ...recorded.metadata, deletionTimestamp: at(50) } });
  const rows: Row[] = [
    [
      'without our finalizer',
      { machine: machine({ metadata: { finalizers: [], deletionTimestamp: at(50) } }) },
      'Guarded',
      'wait NotOurs',
    ],
    [
      'that is paused: its deletion is held',
      { machine: machine({ metadata: { ...paused, deletionTimestamp: at(50) } }) },
      'Unpaused',
      'wait Paused',
    ],
    ['whose VM may be there', {}, 'VmDeleted', 'act DeleteVm'],
    ['whose VM is known to be absent', { vm: gone }, 'VmDeleted', 'act DeleteVm'],
    ['whose VM is still being made', { calls: flying('createMachine') }, 'VmDeleted', 'act CancelCall'],
    [
      'whose driver was told to give up a creation',
      { calls: { ...asked, flying: { method: 'createMachine', since: NOW, cancelled: true } } },
      'VmDeleted',
      'wait DriverLettingGo',
    ],
    [
      'whose VM is being updated',
      { update: { slotFree: true, flying: { method: 'updateMachine', since: NOW } } },
      'VmDeleted',
      'act CancelCall',
    ],
    ['whose VM is being deleted', { calls: flying('deleteMachine') }, 'VmDeleted', 'wait DriverWorking'],
    [
      'whose driver is away',
      { calls: { ...idle, failure: failure({ method: 'deleteMachine' }) } },
      'VmDeleted',
      'wait Unavailable',
    ],
    [
      'whose driver needs a person',
      { calls: { ...idle, failure: failure({ method: 'deleteMachine', code: 'PermissionDenied', permanent: true }) } },
      'VmDeleted',
      'fail PermissionDenied',
    ],
    ['of another provider', { class: { at: 'foreign', provider: 'AWS' } }, 'VmDeleted', 'wait ForeignProvider'],
    ['whose VM is gone, but not its Node', { ...deleted, node: readyNode }, 'NodeDeleted', 'act DeleteNode'],
    [
      'whose Node is on its way out',
      { ...deleted, node: { ...readyNode, deleting: true } },
      'Released',
      'act RemoveFinalizer',
    ],
    ['whose Node belongs to another', { ...deleted, node: foreign }, 'Released', 'act RemoveFinalizer'],
    ['of which nothing is left', { ...deleted }, 'Released', 'act RemoveFinalizer'],
  ];
  test.each(rows)('%s', (_what, facts, step, reason) =>
    expect(judge({ machine: leaving, ...facts })).toEqual([step, reason]),
  );
});

describe('the next look without news is due', () => {
  test.each([
    ['when a new Machine’s creation times out', {}, 1_140_000],
    ['when a failed call is tried again', { calls: { ...asked, failure: failure() } }, 5_000],
    ['when the VM of a healthy Machine is to be asked after', { ...running(30), node: readyNode }, 600_000],
    ['sooner while its Node is not ready', { ...unknown(30), node: notReady }, 60_000],
    [
      'at once when its Node changed after the last answer',
      { ...unknown(30), node: { ...notReady, changedAt: NOW } },
      500,
    ],
    ['at once when its Node went missing', running(30), 500],
    ['later once it is known to be missing', unknown(30), 60_000],
  ] as const)('%s', (_what, facts, ms) => expect(nextDeadline(view(facts as Partial<MachineView>))).toBe(ms));
});
