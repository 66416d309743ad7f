import { describe, expect, test } from 'bun:test';
import type { MachineDeployment } from '../../../schemas/machinedeployment.ts';
import { at, BORN, inPhase, machineDeployment } from '../../../test/fixtures/objects.ts';
import { deadlineIn, progressOf } from './progress.ts';
import { statusOf } from './status.ts';
import { type Size, setOf, view } from './view.fixture.ts';
import type { MachineDeploymentView } from './view.ts';

type Spec = Partial<MachineDeployment['spec']>;
const older = machineDeployment({ spec: { template: { spec: { class: { name: 'old' } } } } });
const spec: Spec = { progressDeadlineSeconds: 100 };

/** The view `seconds` after the deployment was made, with this Progressing before and the counts of now. */
function after(
  seconds: number,
  before: string | undefined,
  more: { spec?: Spec; sets?: [old: Size, fresh?: Size] } = {},
) {
  const deployment = machineDeployment({ spec: { ...spec, ...more.spec } });
  const [old, fresh] = more.sets ?? [{ wants: 3 }, { wants: 1, available: 0, others: 1 }];
  const sets = [setOf(older, 'old', old), ...(fresh ? [setOf(deployment, 'new', fresh)] : [])];
  const now = { ...view(deployment, sets), now: BORN + seconds * 1000 };
  const { conditions: _, ...counts } = statusOf(now, at(0));
  const [status = '', reason = ''] = before?.split(' ') ?? [];
  const condition = { type: 'Progressing', status, reason, message: 'as before', lastUpdateTime: at(0) };
  const told = before === undefined ? [] : [condition as never];
  return { ...now, deployment: { ...deployment, status: { ...counts, conditions: told } } };
}

const said = (seen: MachineDeploymentView) => {
  const { status, reason } = progressOf(statusOf(seen, at(60))) ?? {};
  return `${status} ${reason}`;
};
const noSet: { sets: [Size] } = { sets: [{ wants: 3 }] };

// MCM's deployment_progress.go and deployment_sync.go, case by case.
describe('what Progressing says of a rollout in which nothing moved', () => {
  test.each([
    ['was found', undefined, 'True FoundNewMachineSet', {}],
    ['was just made', 'True NewMachineSetCreated', 'True NewMachineSetCreated', {}],
    ['was found before', 'True FoundNewMachineSet', 'True FoundNewMachineSet', {}],
    ['is there after all', 'False MachineSetCreateError', 'True FoundNewMachineSet', {}],
    ['cannot be made', 'False MachineSetCreateError', 'False MachineSetCreateError', noSet],
    ['was paused', 'Unknown DeploymentPaused', 'Unknown DeploymentResumed', {}],
    ['was resumed', 'Unknown DeploymentResumed', 'Unknown DeploymentResumed', {}],
    ['is paused', 'True MachineSetUpdated', 'Unknown DeploymentPaused', { spec: { paused: true } }],
    [
      'is paused after it stood still',
      'False ProgressDeadlineExceeded',
      'False ProgressDeadlineExceeded',
      { spec: { paused: true } },
    ],
  ] as const)('when its set %s', (_what, before, wanted, more) => {
    expect(said(after(60, before, more as never))).toBe(wanted);
  });

  test.each(['True NewMachineSetCreated', 'True FoundNewMachineSet', 'Unknown DeploymentResumed'])(
    'and that the deadline has passed since it said %s',
    (before) => {
      expect(deadlineIn(after(60, before), after(60, before).deployment.status)).toBe(40_000);
      expect(said(after(101, before))).toBe('False ProgressDeadlineExceeded');
    },
  );
});

describe('what a rollout waits for is told by name', () => {
  const message = (seen: MachineDeploymentView) => progressOf(statusOf(seen, at(60)))?.message;
  const fresh = (
    ...machines: Array<[name: string, phase: 'Pending' | 'CrashLoopBackOff' | 'Running' | 'Terminating']>
  ) => machines.map(([name, phase], index) => inPhase(phase, 0, { metadata: { name, creationTimestamp: at(index) } }));

  test('three machines at the most, the oldest first', () => {
    const { set } = setOf(machineDeployment(), 'new', { wants: 6 });
    const machines = fresh(
      ['e', 'Pending'],
      ['d', 'CrashLoopBackOff'],
      ['c', 'Pending'],
      ['b', 'Pending'],
      ['a', 'Running'],
    );
    const deployment = machineDeployment({ spec: { replicas: 6 } });
    expect(message(view(deployment, [{ set, machines: machines.toReversed() }]))).toBe(
      '1 of 6 machines are of the newest template and available; waiting for machine set new to make 1, for e (Pending), d (CrashLoopBackOff), c (Pending) and 1 more to become available',
    );
  });

  test('machines of older templates that have yet to go', () => {
    const old = {
      set: setOf(older, 'old', { wants: 0 }).set,
      machines: fresh(['a', 'Terminating'], ['b', 'Terminating']),
    };
    const recreate = machineDeployment({ spec: { strategy: { type: 'Recreate' } } });
    expect(message(view(recreate, [old]))).toBe(
      'no machine is of the newest template, 3 are wanted; waiting for a, b to go',
    );
  });

  test('also once it stands still, and in the event of that', () => {
    expect(message(after(101, 'True MachineSetUpdated'))).toBe(
      'the rollout stands still for too long: 0 of 3 machines are of the newest template and available; waiting for new-0 (Pending) to become available',
    );
  });
});
