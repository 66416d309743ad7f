import { describe, expect, test } from 'bun:test';
import type { MachineDeployment } from '../../schemas/machinedeployment.ts';
import { at, machineDeployment } from '../../test/fixtures/objects.ts';
import { deadlineIn, statusOf } from './status.ts';
import { type Size, setOf, view } from './view.fixture.ts';

type Status = NonNullable<MachineDeployment['status']>;
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

  test('keeps a condition as it is while its status and reason stay', () => {
    const before = statusOf(seen(machineDeployment(), { wants: 3 }), at(60));
    expect(statusOf(seen(machineDeployment({ status: before }), { wants: 3 }), at(90))).toEqual(before);
  });

  test('keeps the conditions of others', () => {
    const frozen = { type: 'Frozen', status: 'True' };
    const status = statusOf(seen(machineDeployment({ status: { conditions: [frozen] } }), { wants: 3 }), at(60));
    expect(status.conditions?.[0]).toEqual(frozen);
  });
});

describe('a rollout that stands still', () => {
  const stuck = { wants: 3, available: 1, others: 2 };
  const spec = { progressDeadlineSeconds: 30 };
  const before = statusOf(seen(machineDeployment({ spec }), stuck), at(0));

  test('counts as failed once its deadline has passed', () => {
    const still = seen(machineDeployment({ spec, status: before }), stuck);
    expect(deadlineIn({ ...still, now: still.now - 40_000 })).toBe(10_000);
    const status = statusOf(still, at(60));
    expect(condition(status, 'Progressing')).toBe('False ProgressDeadlineExceeded');
    const later = statusOf(seen(machineDeployment({ spec, status }), stuck), at(90));
    expect(condition(later, 'Progressing')).toBe('False ProgressDeadlineExceeded');
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
