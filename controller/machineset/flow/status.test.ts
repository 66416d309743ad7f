import { describe, expect, test } from 'bun:test';
import { at, inPhase, machineSet } from '../../../test/fixtures/objects.ts';
import { nextAvailable, statusOf } from './status.ts';
import { view } from './view.fixture.ts';

const herd = [
  inPhase('Running', 0),
  inPhase('Running', 55),
  inPhase('Available', 0),
  inPhase('Pending', 0, { metadata: { labels: { pool: 'b' } } }),
  inPhase('Running', 0, { metadata: { deletionTimestamp: at(50) } }),
  inPhase('Failed', 0, { status: { lastOperation: { state: 'Failed', type: 'HealthCheck' } } }),
];

describe('a MachineSet’s status', () => {
  test('counts machines, those on their way out included', () => {
    expect(statusOf(view({ machines: herd }), undefined, at(60))).toMatchObject({
      replicas: 6,
      fullyLabeledReplicas: 5,
      readyReplicas: 3,
      availableReplicas: 3,
      observedGeneration: 1,
      labelSelector: 'pool=a',
    });
  });

  test('counts none that only a finalizer of somebody else keeps (hack/decisions/0051 S36)', () => {
    const status = { lastOperation: { state: 'Failed', type: 'Delete' } } as const;
    const finalizers = ['example.com/audit'];
    const kept = inPhase('Terminating', 0, { metadata: { deletionTimestamp: at(50), finalizers }, status });
    const seen = statusOf(view({ machines: [...herd, kept] }), undefined, at(60));
    expect(seen).toMatchObject({ replicas: 6, fullyLabeledReplicas: 5 });
    expect(seen.failedMachines).toHaveLength(1);
  });

  test('hack/spec/cluster-api.md A1.12 L4: takes no annotation for readiness', () => {
    const machines = [inPhase('Pending', 0, { metadata: { annotations: { any: 'thing' } } })];
    expect(statusOf(view({ machines }), undefined, at(60))).toMatchObject({ readyReplicas: 0, availableReplicas: 0 });
  });

  test('hack/spec/cluster-api.md F5 30: counts while the set is paused', () => {
    const set = machineSet({ metadata: { annotations: { 'cluster.x-k8s.io/paused': '' } } });
    expect(statusOf(view({ set, machines: herd }), undefined, at(60))).toMatchObject({ replicas: 6, readyReplicas: 3 });
  });

  test('remembers machines that failed before they ran (hack/decisions/0000 6)', () => {
    const lost = inPhase('Failed', 50, { status: { lastOperation: { state: 'Failed', type: 'Create' } } });
    const { creationBackOff } = statusOf(view({ machines: [lost] }), undefined, at(60));
    expect(creationBackOff).toEqual({ failures: 1, lastFailureTime: at(50), generation: 1 });
  });

  test('names the machines that failed', () => {
    const { failedMachines } = statusOf(view({ machines: herd }), undefined, at(60));
    expect(failedMachines?.map(({ name, ownerRef }) => [name, ownerRef])).toEqual([['m', 'set']]);
  });

  test('counts a machine as available at once, whatever minReadySeconds says, as MCM does (hack/decisions/0054)', () => {
    const set = machineSet({ spec: { minReadySeconds: 500 } });
    const { readyReplicas, availableReplicas } = statusOf(view({ machines: herd, set }), undefined, at(0));
    expect(availableReplicas).toBe(readyReplicas as number);
  });

  test('counts a machine as available after minReadySeconds where that is honoured, and knows when that is', () => {
    const spec = { minReadySeconds: 10, minReadySecondsPolicy: 'Honor' } as const;
    const patient = view({ machines: herd, set: machineSet({ spec }) });
    expect(statusOf(patient, undefined, at(60)).availableReplicas).toBe(2);
    expect(nextAvailable(patient)).toBe(5_000);
  });

  test('shows what keeps it from creating, and drops that when it is over', () => {
    const failure = { reason: 'FailedCreate', message: 'quota' } as const;
    const status = statusOf(view({}), failure, at(60));
    expect(status.machineSetCondition).toEqual([
      { type: 'ReplicaFailure', status: 'True', ...failure, lastTransitionTime: at(60) },
    ]);
    expect(statusOf(view({ set: machineSet({ status }) }), undefined, at(70)).machineSetCondition).toBeUndefined();
  });

  test('says why machines fail again and again before they run, also when they are gone', () => {
    const lost = (seconds: number) =>
      inPhase('Failed', seconds, {
        metadata: { creationTimestamp: at(seconds - 5) },
        status: { lastOperation: { state: 'Failed', type: 'Create', description: 'no such image' } },
      });
    const once = statusOf(view({ machines: [lost(50)] }), undefined, at(60));
    expect(once.machineSetCondition).toBeUndefined();
    const twice = statusOf(view({ set: machineSet({ status: once }), machines: [lost(58)] }), undefined, at(60));
    const condition = {
      type: 'ReplicaFailure',
      status: 'True',
      reason: 'BackOff',
      message: '2 machines in a row failed before they ran; the last one: no such image',
      lastTransitionTime: at(60),
    };
    expect(twice.machineSetCondition).toEqual([condition]);
    const gone = view({ set: machineSet({ status: twice }) });
    expect(statusOf(gone, undefined, at(70)).machineSetCondition).toEqual([condition]);
    const up = view({
      set: machineSet({ status: twice }),
      machines: [inPhase('Running', 65, { metadata: { creationTimestamp: at(60) } })],
    });
    expect(statusOf(up, undefined, at(70)).machineSetCondition).toBeUndefined();
  });

  test('leaves the conditions of others alone', () => {
    const frozen = { type: 'Frozen', status: 'True' };
    const set = machineSet({ status: { machineSetCondition: [frozen] } });
    expect(statusOf(view({ set }), undefined, at(60)).machineSetCondition).toEqual([frozen]);
  });
});
