import { describe, expect, test } from 'bun:test';
import type { Phase } from '../../../schemas/machinestatus.ts';
import { at, BORN, inPhase, machine } from '../../../test/fixtures/objects.ts';
import type { Gate } from '../../safety/outage/gate.ts';
import { seen as observed } from '../observe.fixture.ts';
import { statusOf } from '../status/status.ts';
import { begun, busy, cordoned, drainFrom, leaver } from './drain.fixture.ts';
import { plan } from './flow.ts';
import { restartedClocks } from './outage.ts';
import { deleted, idle, readyNode, recorded, view, vm } from './view.fixture.ts';
import type { MachineView, NodeFact } from './view.ts';

const HOUR = 3_600;
const NOW = BORN + HOUR * 1000;
const shut = (away: 'control' | 'target'): Gate => ({
  shut: { unreachable: away, since: NOW - 60_000 },
  judgesFrom: 0,
});
const unwell: NodeFact = { ...readyNode, ready: false };
const gone: NodeFact = { at: 'absent' };
const asked = { ...idle, askedAt: NOW };

/** How a Machine stands an hour after it was made. */
const late = (facts: Partial<MachineView>): MachineView => view({ now: NOW, vm, calls: asked, ...facts });
const was = (phase: Phase, seconds = 0, more: object = {}) =>
  inPhase(phase, seconds, { ...recorded, ...more } as never);

/** Which step decides, how, and what it would have done. */
const judged = (facts: Partial<MachineView>): string => {
  const { step, outcome, held } = plan(late(facts));
  const how = outcome.kind === 'pass' ? 'pass' : `${outcome.kind} ${outcome.reason}`;
  return [step, how, ...(held ? [`held ${held}`] : [])].join(' ');
};

const unborn = { machine: machine(), vm: { at: 'absent', since: NOW }, calls: idle } as const;
const ready = { node: cordoned, calls: { ...idle, askedAt: NOW } };

describe('hack/spec/mcm.md 13.1, 13.2: with its target away longer than 30 s a Machine', () => {
  test.each<[what: string, facts: Partial<MachineView>, decision: string]>([
    [
      'that was Unknown for its whole time is not given up',
      { machine: was('Unknown'), node: unwell },
      'NodeHealthy wait TargetClusterUnreachable held HealthTimedOut',
    ],
    [
      'whose Node is missing is not',
      { machine: was('Unknown'), node: gone },
      'NodeHealthy wait TargetClusterUnreachable held HealthTimedOut',
    ],
    [
      'that never joined is not',
      { machine: was('Pending'), node: gone },
      'NodeRegistered wait TargetClusterUnreachable held RegistrationTimedOut',
    ],
    [
      'whose VM vanished is not',
      { machine: was('Unknown'), node: gone, vm: { at: 'absent', since: NOW - 20_000 } },
      'VMCreated wait TargetClusterUnreachable held VMNotFound',
    ],
    ['that never got a VM is not', { ...unborn }, 'VMCreated wait TargetClusterUnreachable held CreationTimedOut'],
    [
      'whose clock runs is told that it stands',
      { machine: was('Unknown', HOUR - 60), node: unwell },
      'NodeHealthy wait TargetClusterUnreachable held NodeNotReady',
    ],
    [
      'whose Node asks for its end stays',
      {
        machine: was('Running'),
        node: {
          ...readyNode,
          object: {
            ...readyNode.object,
            metadata: {
              ...readyNode.object.metadata,
              annotations: { 'node.machine.sapcloud.io/trigger-deletion-by-mcm': 'true' },
            },
          },
        },
      },
      'DeletionNotRequested wait TargetClusterUnreachable held DeleteMachine',
    ],
    [
      'that is given up already stays so',
      { machine: was('Failed', 0, { status: { lastOperation: { type: 'HealthCheck' } } }), node: unwell },
      'NodeHealthy fail HealthTimedOut',
    ],
    ['that is well runs on', { machine: was('Running'), node: readyNode }, 'Reconciled pass'],
    ['that is new gets its VM', { ...unborn, now: BORN }, 'VMCreated act CreateVM'],
    [
      'that leaves is not cordoned',
      { machine: leaver(), node: readyNode, drain: busy() },
      'Drained wait TargetClusterUnreachable held CordonNode',
    ],
    ['is not drained', { ...begun, drain: busy({ now: NOW }) }, 'Drained wait TargetClusterUnreachable held EvictPods'],
    [
      'is not drained by force',
      { ...begun, drain: busy({ now: NOW, deadline: NOW }) },
      'Drained wait TargetClusterUnreachable held DeletePods',
    ],
    ['keeps its VM', { machine: leaver(), node: gone }, 'VMDeleted wait TargetClusterUnreachable held DeleteVM'],
    [
      'keeps its Node',
      { machine: leaver(), ...ready, ...deleted },
      'NodeDeleted wait TargetClusterUnreachable held DeleteNode',
    ],
    [
      'keeps its finalizer',
      { machine: leaver(), node: gone, ...deleted },
      'FinalizerRemoved wait TargetClusterUnreachable held RemoveFinalizer',
    ],
  ])('%s', (_what, facts, decision) => {
    expect(judged({ gate: shut('target'), ...facts })).toBe(decision);
    expect(judged(facts)).not.toContain('held');
  });
});

test('with the control API server away no VM is made either, and no status written', () => {
  const facts = { ...unborn, now: BORN, gate: shut('control') };
  expect(judged(facts)).toBe('VMCreated wait ControlClusterUnreachable held CreateVM');
  expect(statusOf(view(facts), plan(view(facts)), at(0))).toBeUndefined();
});

test('the condition of the step tells what is held, and since when', () => {
  const seen = late({ machine: was('Unknown'), node: unwell, gate: shut('target') });
  const status = statusOf(seen, plan(seen), at(HOUR));
  expect(status?.currentStatus).toMatchObject({ phase: 'Unknown', lastUpdateTime: at(0) });
  expect(status?.conditions?.find(({ type }) => type === 'NodeHealthy')).toMatchObject({
    status: 'False',
    reason: 'TargetClusterUnreachable',
    message: `the target API server is unreachable since ${at(HOUR - 60)}: HealthTimedOut is held`,
  });
});

describe('a Machine that is to go by force does without a target that is away', () => {
  const forced = (labels: object) =>
    machine({ metadata: { deletionTimestamp: at(30), labels }, spec: recorded.spec } as never);
  const gates = { of: () => shut('target') };
  test.each([
    ['True', 'open none'],
    ['no', 'target absent'],
  ])('force-deletion: %p', (value, stands) => {
    const seen = observed(forced({ node: 'm', 'force-deletion': value }), { gates });
    expect(`${seen?.gate.shut?.unreachable ?? 'open'} ${seen?.node.at}`).toBe(stands);
  });

  test('but not without the API server that records it', () => {
    const seen = observed(forced({ 'force-deletion': 'True' }), { gates: { of: () => shut('control') } });
    expect(seen?.gate.shut?.unreachable).toBe('control');
  });
});

describe('after an outage', () => {
  const over: Gate = { judgesFrom: NOW - 5_000 };
  test.each<[what: string, facts: Partial<MachineView>, ms: number]>([
    ['health has its whole time', { machine: was('Unknown'), node: unwell }, 595_000],
    ['so has joining', { machine: was('Pending'), node: gone }, 1_195_000],
    ['so has a failed update in place', { machine: was('InPlaceUpdateFailed'), node: gone }, 595_000],
  ])('%s', (_what, facts, ms) => {
    const { outcome } = plan(late({ gate: over, ...facts }));
    expect(outcome.kind === 'wait' && outcome.ms).toBe(ms);
    const later = plan(
      late({
        ...facts,
        gate: { judgesFrom: 0 },
        machine: { ...late(facts).machine, status: { ...late(facts).machine.status, clocksFrom: at(HOUR - 5) } },
      }),
    );
    expect(later.outcome).toEqual(outcome);
  });

  const held = { currentStep: { name: 'NodeHealthy', reason: 'TargetClusterUnreachable' } };
  test('what was held gets its clocks back in writing, so that no memory is needed (hack/spec/mcm.md 8.2)', () => {
    const seen = late({ machine: was('Unknown', 0, { status: held }), node: unwell });
    expect(restartedClocks(seen)).toMatchObject({
      clocksFrom: at(HOUR),
      currentStep: { name: 'NodeHealthy', reason: 'OutageOver' },
      currentStatus: { phase: 'Unknown', lastUpdateTime: at(HOUR) },
      lastOperation: {
        type: 'HealthCheck',
        description: expect.stringContaining('Timeout was reset'),
        lastUpdateTime: at(HOUR),
      },
    });
    expect(restartedClocks({ ...seen, gate: shut('target') })).toBeUndefined();
    expect(restartedClocks(late({ machine: was('Unknown'), node: unwell }))).toBeUndefined();
  });

  test('a drain has its whole time again', () => {
    const drained = (seconds: number, gate: Gate, status: object = {}) =>
      restartedClocks(late({ machine: leaver({ status: { ...drainFrom(seconds), ...status } }), gate }))?.deletion
        ?.drain;
    const whole = { startedAt: at(HOUR), deadline: at(HOUR + 7_200) };
    expect(drained(60, { judgesFrom: 0 }, held)).toMatchObject(whole);
    expect(drained(60, { judgesFrom: 0 })).toBeUndefined();
  });

  test('also one whose time ran out while nobody could hold it, and no other', () => {
    const drained = (seconds: number) =>
      restartedClocks(late({ machine: leaver({ status: drainFrom(seconds) }), gate: over }))?.deletion?.drain;
    expect(drained(HOUR - 7_200 - 10)).toMatchObject({ startedAt: at(HOUR), deadline: at(HOUR + 7_200) });
    expect(drained(HOUR - 7_200)).toBeUndefined();
    expect(drained(60)).toBeUndefined();
  });

  // hack/decisions/0051 L29
  describe('volumes of which the time to come off ran out meanwhile', () => {
    const drain = busy({ now: NOW, pods: [], attachments: [{ name: 'va', leaving: false, used: false }] });
    const ended = { startedAt: at(60), deadline: at(7_260), endedAt: at(1_200) };
    const waiting = (deletion: object, step = 'VolumesDetached') =>
      late({
        gate: over,
        node: cordoned,
        drain,
        machine: leaver({
          status: { deletion: { startedAt: at(30), ...deletion }, currentStep: { name: step } } as never,
        }),
      });

    test.each<[what: string, deletion: object]>([
      ['after a drain in good time', { drain: ended }],
      ['after one by force', { drain: { ...ended, deadline: at(1_200) } }],
      ['where nothing was drained', {}],
      ['of a Node that MCM had', { drain: null }],
    ])('have it again, %s', (_what, deletion) => {
      const seen = waiting({ ...deletion, detachDeadline: at(1_320) });
      const restarted = restartedClocks(seen);
      expect(restarted).toMatchObject({ deletion: { ...deletion, detachDeadline: at(HOUR + 120) } });
      const again = { ...seen, machine: { ...seen.machine, status: { ...seen.machine.status, ...restarted } } };
      expect([restartedClocks(again as MachineView), judged(again as MachineView)]).toEqual([
        undefined,
        expect.stringMatching(/^VolumesDetached (act DetachVolumes|wait VolumesDetaching)$/),
      ]);
    });

    // hack/decisions/0051 L38
    test.each([
      ['a part of which', HOUR + 100],
      ['all of which, and what was left of it since,', HOUR - 5],
    ])('have it again, %s the outage took', (_what, seconds) => {
      const seen = waiting({ drain: ended, detachDeadline: at(seconds) });
      const restarted = restartedClocks(seen);
      expect(restarted).toMatchObject({ deletion: { detachDeadline: at(HOUR + 120) } });
      const again = { ...seen, machine: { ...seen.machine, status: { ...seen.machine.status, ...restarted } } };
      expect(restartedClocks(again as MachineView)).toBeUndefined();
    });

    test('have none again that were waited for to the end, or whose time began after it', () => {
      expect(restartedClocks(waiting({ drain: ended, detachDeadline: at(1_320) }, 'VMDeleted'))).toBeUndefined();
      expect(restartedClocks(waiting({ drain: ended, detachDeadline: at(HOUR + 116) }))).toBeUndefined();
      const { drain: _, ...without } = waiting({ drain: ended, detachDeadline: at(1_320) });
      expect(restartedClocks(without)).toBeUndefined();
    });

    test('have none while pods are drained, whatever is on record from before', () => {
      const { endedAt: _, ...going } = ended;
      expect(restartedClocks(waiting({ drain: going, detachDeadline: at(1_320) }))).toBeUndefined();
    });

    test('have none again for which nobody is to wait', () => {
      const seen = waiting({ drain: ended, detachDeadline: at(HOUR) });
      const annotations = { 'machine.cluster.x-k8s.io/exclude-wait-for-node-volume-detach': '' };
      const metadata = { ...seen.machine.metadata, annotations };
      expect(restartedClocks({ ...seen, machine: { ...seen.machine, metadata } })).toBeUndefined();
    });
  });
});
