import { describe, expect, test } from 'bun:test';
import type { MachineDeployment } from '../../../schemas/machinedeployment.ts';
import { at, inPhase, machineDeployment } from '../../../test/fixtures/objects.ts';
import { deadlineIn } from './progress.ts';
import { newsOf, statusOf } from './status.ts';
import { type Size, setOf, view } from './view.fixture.ts';
import type { SetFact } from './view.ts';

type Status = NonNullable<MachineDeployment['status']>;
type Condition = NonNullable<Status['conditions']>[number];
const older = machineDeployment({ spec: { template: { spec: { class: { name: 'old' } } } } });
const seen = (deployment: MachineDeployment, fresh: Size, old: Size = { wants: 0 }) =>
  view(deployment, [setOf(older, 'old', old), setOf(deployment, 'new', fresh)]);
const condition = ({ conditions }: Status, type: string) => {
  const found = conditions?.find((one) => one.type === type);
  return found && `${found.status} ${found.reason}`;
};

describe('a MachineDeployment’s status', () => {
  test('adds up its sets', () => {
    const status = statusOf(seen(machineDeployment(), { wants: 2, available: 1, others: 1 }, { wants: 2 }), at(60));
    expect(status).toMatchObject({
      replicas: 4,
      updatedReplicas: 2,
      readyReplicas: 3,
      availableReplicas: 3,
      unavailableReplicas: 1,
      observedGeneration: 1,
      labelSelector: 'pool=a',
    });
  });

  test.each([
    ['complete', machineDeployment(), { wants: 3 }, 'True MinimumReplicasAvailable', 'True NewMachineSetAvailable'],
    [
      'on its way',
      machineDeployment(),
      { wants: 3, available: 1, others: 2 },
      'False MinimumReplicasUnavailable',
      'True MachineSetUpdated',
    ],
    [
      'paused',
      machineDeployment({ spec: { paused: true } }),
      { wants: 3 },
      'True MinimumReplicasAvailable',
      'Unknown DeploymentPaused',
    ],
  ] as const)('says that it is %s', (_what, deployment, fresh, available, progressing) => {
    const status = statusOf(seen(deployment, fresh), at(60));
    expect([condition(status, 'Available'), condition(status, 'Progressing')]).toEqual([available, progressing]);
  });

  // hack/decisions/0051 S1: with any other reason a cluster-autoscaler takes nothing away, and a shoot counts as unhealthy.
  test.each([
    ['is scaled up', { wants: 5, available: 3, others: 2 }],
    ['has a machine that is unhealthy', { wants: 3, available: 2, others: 1 }],
    ['keeps a machine that Failed', { wants: 3, available: 2, preserved: 1 }],
    ['is scaled down', { wants: 1, available: 3 }],
  ])('says nothing of progress while no template is rolled out, when it %s (hack/spec/mcm.md 4.9)', (_what, size) => {
    const spec = { replicas: size.wants, progressDeadlineSeconds: 10 };
    const status = statusOf(seen(machineDeployment(), { wants: 3 }), at(0));
    const progress = (now: Status) => now.conditions?.find(({ type }) => type === 'Progressing');
    for (const more of [{}, { held: 'the target API server is unreachable' }]) {
      const later = { ...seen(machineDeployment({ spec, status }), size), ...more };
      expect(progress(statusOf(later, at(60)))).toEqual(progress(status) as Condition);
      expect(deadlineIn(later, status)).toBe(Infinity);
    }
  });

  test('keeps a condition as it is while its status and reason stay', () => {
    const before = statusOf(seen(machineDeployment(), { wants: 3 }), at(60));
    expect(statusOf(seen(machineDeployment({ status: before }), { wants: 3 }), at(90))).toEqual(before);
  });

  test.each([
    ['fewer than all where some may be missing', { maxUnavailable: 1 }, { wants: 3, available: 2 }, 'True'],
    ['not fewer than that', { maxUnavailable: 1 }, { wants: 3, available: 1 }, 'False'],
    [
      'those that are kept as Failed beside others',
      { maxUnavailable: 0 },
      { wants: 3, available: 2, preserved: 1 },
      'True',
    ],
    ['of more no more', { maxUnavailable: 0 }, { wants: 3, available: 1, preserved: 1 }, 'False'],
  ] as const)('counts as available with %s', (_what, rollingUpdate, size, is) => {
    const deployment = machineDeployment({ spec: { strategy: { rollingUpdate } } });
    expect(condition(statusOf(seen(deployment, size), at(60)), 'Available')?.split(' ')[0]).toBe(is);
  });

  test('tells what fails for an older set where the newest one has no failure (hack/spec/mcm.md 4.9)', () => {
    const failing = (fact: SetFact, reason: string): SetFact => {
      const machineSetCondition = [{ type: 'ReplicaFailure', status: 'True', reason, message: 'no' }];
      return { ...fact, set: { ...fact.set, status: { ...fact.set.status, machineSetCondition } } };
    };
    const [old, fresh] = [setOf(older, 'old', { wants: 1 }), setOf(machineDeployment(), 'new', { wants: 2 })];
    const told = (sets: SetFact[]) => condition(statusOf(view(machineDeployment(), sets), at(60)), 'ReplicaFailure');
    expect([
      told([failing(old, 'FailedDelete'), fresh]),
      told([failing(old, 'FailedDelete'), failing(fresh, 'FailedCreate')]),
      told([old, fresh]),
    ]).toEqual(['True FailedDelete', 'True FailedCreate', undefined]);
  });

  test('keeps the conditions of others', () => {
    const frozen = { type: 'Frozen', status: 'True' };
    const status = statusOf(seen(machineDeployment({ status: { conditions: [frozen] } }), { wants: 3 }), at(60));
    expect(status.conditions?.[0]).toEqual(frozen);
  });
});

describe('an outage that keeps unhealthy machines from being replaced (hack/decisions/0000 7, Meltdown)', () => {
  const deployment = machineDeployment();
  const message = 'it would be replaced, but 18 of 30 machines in zone a are unhealthy';
  const held = inPhase('Unknown', 0, {
    metadata: { name: 'm-1' },
    status: {
      currentStep: { name: 'NodeHealthy', reason: 'ZoneOutage' },
      conditions: [{ type: 'NodeHealthy', status: 'False', message }],
    },
  });
  const { set } = setOf(deployment, 'new', { wants: 3 });

  test('is told, with zone and share', () => {
    const { conditions } = statusOf(view(deployment, [{ set, machines: [inPhase('Running'), held, held] }]), at(60));
    expect(conditions?.find(({ type }) => type === 'ReplacementPaused')).toMatchObject({
      status: 'True',
      reason: 'ZoneOutage',
      message: `2 of its machines are not replaced; of m-1: ${message}`,
    });
  });

  test('is not told of machines that leave', () => {
    const leaving = { ...held, metadata: { ...held.metadata, deletionTimestamp: at(30) } };
    const { conditions } = statusOf(view(deployment, [{ set, machines: [inPhase('Running'), leaving] }]), at(60));
    expect(conditions?.some(({ type }) => type === 'ReplacementPaused')).toBeFalse();
  });

  test('is told no more when it is over', () => {
    const before = { type: 'ReplacementPaused', status: 'True', reason: 'ZoneOutage' } as const;
    const told = { ...deployment, status: { conditions: [before] } };
    expect(
      condition(statusOf(view(told, [{ set, machines: [inPhase('Running')] }]), at(60)), before.type),
    ).toBeUndefined();
  });
});

test('what keeps machines of a set from being made is told in the words of the last time (hack/decisions/0051 S8)', () => {
  const failing = (message: string) => {
    const { set } = setOf(machineDeployment(), 'new', { wants: 3 });
    const failure = { type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message } as const;
    return { set: { ...set, status: { machineSetCondition: [failure] } }, machines: [] };
  };
  const told = (status: ReturnType<typeof statusOf>) =>
    status.conditions?.find(({ type }) => type === 'ReplicaFailure');
  const before = statusOf(view(machineDeployment(), [failing('exceeded quota: 1')]), at(60));
  const after = statusOf(view(machineDeployment({ status: before }), [failing('exceeded quota: 2')]), at(90));
  expect(told(after)).toEqual({ ...told(before), message: 'exceeded quota: 2' } as never);
});

describe('a rollout that stands still', () => {
  test('is told of though the one before was complete (0051 S1)', () => {
    const spec = { progressDeadlineSeconds: 30 };
    const done = statusOf(view(machineDeployment(), [setOf(older, 'old', { wants: 3 })]), at(0));
    const complete = {
      ...done,
      conditions: [{ type: 'Progressing', status: 'True', reason: 'NewMachineSetAvailable' }],
    };
    const begun = machineDeployment({ spec, status: complete as Status });
    const status = statusOf(seen(begun, { wants: 1, available: 0, others: 1 }, { wants: 3 }), at(60));
    expect(condition(status, 'Progressing')).toBe('True MachineSetUpdated');
  });

  const stuck = { wants: 3, available: 1, others: 2 };
  const spec = { progressDeadlineSeconds: 30 };
  const before = statusOf(seen(machineDeployment({ spec }), stuck), at(0));

  test('counts as failed once its deadline has passed', () => {
    const still = seen(machineDeployment({ spec, status: before }), stuck);
    expect(deadlineIn({ ...still, now: still.now - 40_000 }, before)).toBe(10_000);
    const status = statusOf(still, at(60));
    expect(condition(status, 'Progressing')).toBe('False ProgressDeadlineExceeded');
    const later = statusOf(seen(machineDeployment({ spec, status }), stuck), at(90));
    expect(condition(later, 'Progressing')).toBe('False ProgressDeadlineExceeded');
  });

  test('is told of by one event', () => {
    const status = statusOf(seen(machineDeployment({ spec, status: before }), stuck), at(60));
    expect(newsOf(before, status)).toEqual([
      {
        type: 'Warning',
        reason: 'ProgressDeadlineExceeded',
        note: expect.stringMatching(
          /^the rollout stands still for too long: .* waiting for new-1 \(Pending\), /,
        ) as never,
      },
    ]);
    expect(newsOf(status, status)).toEqual([]);
    expect(newsOf(undefined, before)).toEqual([]);
  });

  test('goes on as soon as a machine becomes ready', () => {
    const moved = statusOf(
      seen(machineDeployment({ spec, status: before }), { wants: 3, available: 2, others: 1 }),
      at(60),
    );
    expect(condition(moved, 'Progressing')).toBe('True MachineSetUpdated');
    expect(moved.conditions?.find(({ type }) => type === 'Progressing')?.lastUpdateTime).toBe(at(60));
  });
});
