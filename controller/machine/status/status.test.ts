import { describe, expect, test } from 'bun:test';
import { at, BORN, inPhase, machine } from '../../../test/fixtures/objects.ts';
import { plan } from '../flow/flow.ts';
import { idle, readyNode, recorded, view, vm } from '../flow/view.fixture.ts';
import type { MachineView } from '../flow/view.ts';
import { statusOf } from './status.ts';

const NOW = BORN + 60_000;
const asked = { ...idle, askedAt: NOW };
const known = { machine: machine(recorded), vm, calls: asked };
/** Its Node might be there by now. */
const joining = { ...known, calls: { ...idle, askedAt: NOW - 5_000 } };
const failure = {
  method: 'createMachine',
  code: 'ResourceExhausted',
  message: 'no room',
  retryAt: NOW + 9_000,
  permanent: false,
} as const;
const write = (facts: Partial<MachineView>) => {
  const seen = view(facts);
  return statusOf(seen, plan(seen), at(60));
};

describe('the phase, as MCM writes it,', () => {
  test.each([
    [
      'is empty while the VM is being made',
      {
        vm: { at: 'absent', since: BORN },
        calls: { ...asked, inFlight: { method: 'createMachine', since: NOW - 2_000 } },
      },
      '',
      undefined,
    ],
    [
      'is CrashLoopBackOff after an error',
      { vm: { at: 'absent', since: BORN }, calls: { ...asked, failure } },
      'CrashLoopBackOff',
      'Create Failed ResourceExhausted',
    ],
    [
      'is Failed when no VM came in time',
      { now: BORN + 1_200_000, vm: { at: 'absent', since: BORN } },
      'Failed',
      'Create Failed',
    ],
    [
      'is Failed when the Node came in time but not ready',
      {
        ...known,
        now: BORN + 1_200_000,
        calls: { ...idle, askedAt: BORN + 1_200_000 },
        node: { ...readyNode, ready: false },
      },
      'Failed',
      'Create Failed',
    ],
    [
      'is Failed when the Node was unwell for too long',
      {
        ...known,
        now: BORN + 600_000,
        calls: { ...idle, askedAt: BORN + 600_000 },
        machine: inPhase('Unknown', 0, recorded),
      },
      'Failed',
      'HealthCheck Failed',
    ],
    [
      'stays Failed, and what was said of it, when health time-outs are switched off later',
      {
        ...known,
        machine: inPhase('Failed', 0, {
          spec: { ...recorded.spec, disableHealthTimeout: true },
          metadata: recorded.metadata,
          status: { lastOperation: { type: 'HealthCheck', state: 'Failed', description: 'because' } },
        }),
      },
      'Failed',
      'HealthCheck Failed',
    ],
    ['is Pending until the Node is there', joining, 'Pending', 'Create Processing'],
    [
      'is Pending until the Node is ready',
      { ...known, node: { ...readyNode, ready: false } },
      'Pending',
      'Create Processing',
    ],
    ['is Running with a ready Node', { ...known, node: readyNode }, 'Running', 'Create Successful'],
    ['is Available without a target cluster', { ...known, node: { at: 'none' } }, 'Available', 'Create Successful'],
    [
      'is Unknown when a Running Machine’s Node is missing',
      { ...known, machine: inPhase('Running', 0, recorded) },
      'Unknown',
      'HealthCheck Processing',
    ],
    [
      'is Failed when the VM vanished before its Node came',
      { ...known, vm: { at: 'absent', since: BORN } },
      'Failed',
      'Create Failed',
    ],
    [
      'is Failed when the VM vanished',
      { ...known, machine: inPhase('Unknown', 0, recorded), vm: { at: 'absent', since: BORN } },
      'Failed',
      'HealthCheck Failed',
    ],
    [
      'is Failed with the code for which no VM came in time (hack/spec/mcm.md 6.4b)',
      { now: BORN + 1_200_000, vm: { at: 'absent', since: BORN }, calls: { ...asked, failure } },
      'Failed',
      'Create Failed ResourceExhausted',
    ],
    [
      'is Failed when another VM’s Node is in the way (hack/spec/mcm.md 6.4, stale node)',
      { ...known, node: { at: 'foreign', name: 'm', providerID: 'other:///1', stale: true } },
      'Failed',
      'Create Failed',
    ],
    [
      'is Running again',
      {
        ...known,
        machine: inPhase('Unknown', 0, { ...recorded, status: { lastOperation: { type: 'HealthCheck' } } }),
        node: readyNode,
      },
      'Running',
      'HealthCheck Successful',
    ],
    [
      'is Terminating',
      {
        machine: machine({ ...recorded, metadata: { ...recorded.metadata, deletionTimestamp: at(50) } }),
        vm,
        calls: { ...asked, failure: { ...failure, method: 'deleteMachine' } },
      },
      'Terminating',
      'Delete Failed ResourceExhausted',
    ],
  ] as const)('%s', (_what, facts, phase, operation) => {
    const status = write(facts as Partial<MachineView>);
    const { type, state, errorCode } = status?.lastOperation ?? {};
    expect(status?.currentStatus?.phase).toBe(phase);
    expect([type, state, errorCode].filter(Boolean).join(' ') || undefined).toBe(operation);
  });
});

test('a deletion that waits for the end of a pause says so', () => {
  const paused = machine({
    metadata: {
      deletionTimestamp: at(50),
      annotations: { 'cluster.x-k8s.io/paused': '' },
      labels: { 'vmoperator.vmware.com/paused': 'devops' },
    },
  });
  expect(write({ machine: paused })?.lastOperation).toMatchObject({
    type: 'Delete',
    state: 'Processing',
    description: 'The machine is paused: its deletion waits',
  });
});

describe('nothing is written', () => {
  test.each([
    ['while an action is under way', {}],
    [
      'while a driver call is younger than a second',
      {
        vm: { at: 'absent', since: BORN },
        calls: { ...asked, inFlight: { method: 'createMachine', since: NOW - 500 } },
      },
    ],
    ['while the Node of a VM just made may come at once', known],
    ['for a class of another provider', { class: { at: 'foreign', provider: 'AWS' } }],
  ] as const)('%s', (_what, facts) => expect(write(facts as Partial<MachineView>)).toBeUndefined());
});

describe('conditions', () => {
  const types = (facts: Partial<MachineView>) =>
    write(facts)
      ?.conditions?.map(({ type, status }) => `${type}=${status}`)
      .join(' ');

  test('tell the steps in order, beside those of the Node', () => {
    expect(types({ ...known, node: readyNode })).toBe(
      'Ready=True Paused=False SpecValid=True ClassReady=True FieldsSupported=True FinalizerAdded=True ClassRecorded=True ClusterReachable=True PreservationApplied=True VMCreated=True VMClaimed=True VMInitialized=True VMUpToDate=True NodeRegistered=True DeletionNotRequested=True NodeSynced=True InPlaceUpdated=True NodeHealthy=True StartupTaintRemoved=True',
    );
    expect(types(joining)).toBe(
      'Paused=False SpecValid=True ClassReady=True FieldsSupported=True FinalizerAdded=True ClassRecorded=True ClusterReachable=True PreservationApplied=True VMCreated=True VMClaimed=True VMInitialized=True VMUpToDate=True NodeRegistered=False DeletionNotRequested=Unknown NodeSynced=Unknown InPlaceUpdated=Unknown NodeHealthy=Unknown StartupTaintRemoved=Unknown',
    );
  });

  test('keep what the Node last said after it went missing', () => {
    const ran = inPhase('Running', 0, {
      ...recorded,
      status: {
        conditions: [
          { type: 'Ready', status: 'True' },
          { type: 'NodeRegistered', status: 'True' },
        ],
      },
    });
    expect(types({ ...known, machine: ran })).toStartWith('Ready=True Paused=False');
  });

  test('stay as last known while the machine is paused', () => {
    const { status } = { status: write({ ...known, node: readyNode }) };
    const annotations = { 'cluster.x-k8s.io/paused': '' };
    const labels = { ...recorded.metadata.labels, 'vmoperator.vmware.com/paused': 'devops' };
    const metadata = { ...recorded.metadata, annotations, labels };
    const paused = machine({ ...recorded, metadata, status: status as object });
    expect(types({ ...known, machine: paused, node: readyNode })).toMatch(
      /Paused=True SpecValid=True .* VMCreated=True .* NodeHealthy=True StartupTaintRemoved=True$/,
    );
  });

  test('say with a reason whether the machine is paused (hack/decisions/0050)', () => {
    const said = (status: MachineView['machine']['status']) =>
      status?.conditions?.filter(({ type }) => type === 'Paused').map(({ status: is, reason }) => `${is} ${reason}`);
    const status = write({ ...known, node: readyNode });
    expect(said(status)).toEqual(['False NotPaused']);
    const annotations = { 'cluster.x-k8s.io/paused': '' };
    const labels = { ...recorded.metadata.labels, 'vmoperator.vmware.com/paused': 'devops' };
    const paused = machine({
      ...recorded,
      metadata: { ...recorded.metadata, annotations, labels },
      status: status as object,
    });
    expect(said(write({ ...known, machine: paused, node: readyNode }))).toEqual(['True Paused']);
  });

  test('keep the time of their last change', () => {
    const before = write({ ...known, node: readyNode });
    const later = view({ ...known, machine: { ...known.machine, status: before ?? {} }, node: readyNode });
    expect(statusOf(later, plan(later), at(90))).toEqual(before as never);
  });

  test('are not written again for a heart-beat', () => {
    const before = write({ ...known, node: readyNode });
    const beaten = { ...readyNode, conditions: [{ type: 'Ready', status: 'True', lastHeartbeatTime: at(90) }] };
    const later = view({ ...known, machine: { ...known.machine, status: before ?? {} }, node: beaten });
    expect(statusOf(later, plan(later), at(90))).toEqual(before as never);
  });
});

describe('what a person must act on', () => {
  const permanent = { ...failure, code: 'InvalidArgument', permanent: true } as const;

  test('is told in Cluster API’s fields', () => {
    const status = write({ vm: { at: 'absent', since: BORN }, calls: { ...asked, failure: permanent } });
    expect(status).toMatchObject({ errorReason: 'InvalidArgument', errorMessage: 'no room' });
    expect(status?.failureReason).toBeUndefined();
  });

  test('is mirrored for the cluster-autoscaler when the Machine is lost', () => {
    expect(write({ ...known, vm: { at: 'absent', since: BORN } })).toMatchObject({
      failureReason: 'VMNotFound',
      phase: 'Failed',
    });
  });

  test('is taken back when it no longer holds', () => {
    const lost = machine({
      ...recorded,
      status: { errorReason: 'VMNotFound', errorMessage: 'x', failureReason: 'VMNotFound' },
    });
    const status = write({ ...known, machine: lost, node: readyNode });
    expect([status?.errorReason, status?.errorMessage, status?.failureReason]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  test('of a Machine that leaves goes on saying why it was given up, for those who count such', () => {
    const lost = inPhase('Failed', 0, {
      ...recorded,
      metadata: { ...recorded.metadata, deletionTimestamp: at(9) },
      status: { errorReason: 'HealthTimedOut', errorMessage: 'x', failureReason: 'HealthTimedOut' },
    });
    const status = write({ machine: lost, calls: { ...idle, inFlight: { method: 'deleteMachine', since: BORN } }, vm });
    expect(status?.currentStatus?.phase).toBe('Terminating');
    expect([status?.errorReason, status?.failureReason]).toEqual([undefined, 'HealthTimedOut']);
  });
});

// hack/decisions/0051 U7
test('the deciding step and its reason are told, in a sentence as well where the step has one', () => {
  const message = 'the VM is there, its Node is not yet';
  expect(write(joining)?.currentStep).toEqual({ name: 'NodeRegistered', reason: 'NodeNotRegistered', message });
  expect(write({ ...known, node: readyNode })?.currentStep).toEqual({ name: 'Reconciled', reason: 'Reconciled' });
});
