import { describe, expect, test } from 'bun:test';
import { PRE_TERMINATE_HOOK } from '../../../schemas/keys.ts';
import { at, BORN, inPhase, machine } from '../../../test/fixtures/objects.ts';
import { plan } from '../flow/flow.ts';
import { deleted, idle, readyNode, recorded, view, vm } from '../flow/view.fixture.ts';
import type { CallFailure, MachineView } from '../flow/view.ts';
import { complaints, newsOf } from './events.ts';
import { statusOf } from './status.ts';

const NOW = BORN + 60_000;
const asked = { ...idle, askedAt: NOW - 5_000 };
const failure: CallFailure = {
  method: 'createMachine',
  code: 'ResourceExhausted',
  message: 'no room in zone a',
  retryAt: NOW + 9_000,
  permanent: false,
};
const refused = { ...failure, code: 'InvalidArgument', message: 'no such image', permanent: true } as const;
const gone = { at: 'absent', since: BORN } as const;
const known = { machine: machine(recorded), vm, calls: asked };
const leaving = { metadata: { deletionTimestamp: at(50) } };

/** What is told of a Machine as it stands, each event as `type reason: note`. */
function told(facts: Partial<MachineView>): string[] {
  const seen = view(facts);
  const decision = plan(seen);
  return newsOf(seen, decision, statusOf(seen, decision, at(60))).map(
    ({ type, reason, note }) => `${type} ${reason}: ${note}`,
  );
}

/** The same once the status is written: what was told is not told again. */
function toldAgain(facts: Partial<MachineView>): string[] {
  const seen = view(facts);
  const status = statusOf(seen, plan(seen), at(60));
  return told({ ...facts, machine: { ...seen.machine, ...(status && { status }) } });
}

type Row = [what: string, facts: Partial<MachineView>, ...events: string[]];

describe('an event on each transition (hack/decisions/0000 3, "no events on Machines"):', () => {
  const rows: Row[] = [
    [
      'the class is missing',
      { class: { at: 'missing', name: 'small' } },
      'Warning ClassNotFound: MachineClass "small" does not exist',
    ],
    [
      'the machine is paused',
      {
        machine: machine({
          metadata: {
            annotations: { 'cluster.x-k8s.io/paused': '' },
            labels: { 'vmoperator.vmware.com/paused': 'devops' },
          },
        }),
      },
      'Normal Paused: the annotation cluster.x-k8s.io/paused holds it: nothing is done for it, its deletion included',
    ],
    ['the finalizer goes on', { machine: machine({ metadata: { finalizers: [] } }) }],
    ['the driver is asked', {}],
    ['the VM is asked for', { vm: gone }],
    ['a call takes its time', { vm: gone, calls: { ...asked, inFlight: { method: 'createMachine', since: BORN } } }],
    ['no slot is free', { vm: gone, calls: { ...asked, full: ['createMachine'] } }],
    ['the VM is there', { vm }, 'Normal RecordVM: VM virtual:///uid-m is there, its Node is m'],
    [
      'the first error',
      { vm: gone, calls: { ...asked, failure } },
      'Warning ResourceExhausted: Creating the VM failed. Cloud provider message - no room in zone a',
    ],
    [
      'another error of the same phase',
      { machine: inPhase('CrashLoopBackOff'), vm: gone, calls: { ...asked, failure: refused } },
      'Warning InvalidArgument: no such image',
    ],
    ['the Node is awaited', known],
    [
      'the Node is ready',
      { ...known, machine: inPhase('Pending', 0, recorded), node: readyNode },
      'Normal Running: Machine m successfully joined the cluster',
    ],
    [
      'there is no cluster to join',
      { ...known, node: { at: 'none' } },
      'Normal Available: Created machine on cloud provider',
    ],
    [
      'the Node went away',
      { ...known, machine: inPhase('Running', 0, recorded), calls: { ...idle, askedAt: NOW } },
      'Warning NodeNotFound: Machine m is unhealthy: NodeNotFound',
    ],
    [
      'the Node is back',
      {
        ...known,
        machine: inPhase('Unknown', 0, { ...recorded, status: { lastOperation: { type: 'HealthCheck' } } }),
        node: readyNode,
      },
      'Normal Running: Machine m successfully re-joined the cluster',
    ],
    [
      'the VM vanished',
      { ...known, vm: gone },
      'Warning VMNotFound: Machine m failed: the driver no longer knows virtual:///uid-m',
    ],
    [
      'the machine begins to leave',
      {
        machine: inPhase('Running', 0, { ...recorded, ...leaving }),
        calls: { ...asked, inFlight: { method: 'deleteMachine', since: BORN } },
      },
      'Normal Terminating: Initiate VM deletion',
    ],
    [
      'a check holds the machine',
      {
        machine: machine({
          ...recorded,
          metadata: { deletionTimestamp: at(50), annotations: { 'delete.check.drover.dev/billing': '' } },
        }),
        vm,
      },
      'Normal Terminating: A check holds the machine: its deletion waits',
      'Normal DeletionCheckPending: held by the annotation delete.check.drover.dev/billing',
    ],
    [
      'a hook holds the machine',
      {
        machine: inPhase('Running', 0, {
          ...recorded,
          metadata: { ...recorded.metadata, ...leaving.metadata, annotations: { [`${PRE_TERMINATE_HOOK}/etcd`]: '' } },
        }),
        calls: asked,
      },
      'Normal Terminating: Initiate VM deletion',
      `Normal WaitingForPreTerminateHook: the annotation ${PRE_TERMINATE_HOOK}/etcd holds it`,
    ],
    [
      'the VM is deleted, its Node goes',
      { ...deleted, machine: machine({ ...recorded, ...leaving }), node: readyNode },
      'Normal DeleteNode: Node m is deleted, for its VM is gone',
    ],
    [
      'nothing is left',
      { ...deleted, machine: machine({ ...leaving, ...{ spec: recorded.spec } }) },
      'Normal RemoveFinalizer: VM virtual:///uid-m is gone, and nothing is left of it',
    ],
    [
      'nothing ever was',
      { ...deleted, machine: machine(leaving) },
      'Normal RemoveFinalizer: Nothing is left: there was no VM',
    ],
  ];

  test.each(rows)('%s', (_what, facts, ...events) => {
    expect(told(facts)).toEqual(events);
  });

  test.each(rows.filter(([, facts]) => plan(view(facts)).outcome.kind !== 'act'))('%s: told once', (_what, facts) => {
    expect(toldAgain(facts)).toEqual([]);
  });
});

test('the same reason in other words is told again when somebody must act, and only then', () => {
  const before = (errorMessage: string, reason: string) =>
    inPhase('CrashLoopBackOff', 0, { status: { currentStep: { name: 'VMCreated', reason }, errorMessage } });
  const facts = (reason: 'InvalidArgument' | 'ResourceExhausted', call: CallFailure) => ({
    machine: before('no such size', reason),
    vm: gone,
    calls: { ...asked, failure: call },
  });
  expect(told(facts('InvalidArgument', refused))).toEqual(['Warning InvalidArgument: no such image']);
  expect(told(facts('ResourceExhausted', failure))).toEqual([]);
});

test.each([
  ['50', undefined],
  [
    'urgent',
    'The annotation protected.drover.dev/reconcile-priority is ignored: "urgent" is no integer from -100 to 100',
  ],
  ['101', 'The annotation protected.drover.dev/reconcile-priority is ignored: "101" is no integer from -100 to 100'],
])('a priority of %p (hack/decisions/0000 5)', (text, note) => {
  const annotations = { 'protected.drover.dev/reconcile-priority': text };
  expect(complaints(view({ machine: machine({ metadata: { annotations } }) }))[0]?.note).toBe(note as string);
});
