import { describe, expect, test } from 'bun:test';
import { machineDeployment } from '../../test/fixtures/objects.ts';
import { revised, seeing } from './flow/seeing.fixture.ts';
import { type Size, setOf } from './flow/view.fixture.ts';

type Changes = NonNullable<Parameters<typeof machineDeployment>[0]>;

const older = machineDeployment({ spec: { template: { spec: { class: { name: 'old' } } } } });
const { finalizers = [] } = machineDeployment().metadata;
const deleted = { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers } };

/** What a deployment tells of the writes that are refused, in two passes: by events, by its condition, and by the log. */
async function told(refused: RegExp, changes: Changes = {}, size: Size = { wants: 3 }) {
  const annotations = { ...revised('2'), ...changes.metadata?.annotations };
  const deployment = machineDeployment({ ...changes, metadata: { ...changes.metadata, annotations } });
  const sets = [setOf(older, 'old', { wants: 0 }), setOf(machineDeployment(), 'new', size)];
  const { pass, ...seen } = seeing(deployment, sets, {
    refuse: (write) => (refused.test(write) ? 'not today' : undefined),
  });
  const thrown = await pass().then(
    () => undefined,
    (error: Error) => error.message,
  );
  const [condition] = seen.statuses.map((status) => status?.conditions?.find(({ type }) => type === 'ReplicaFailure'));
  return { thrown, condition, events: seen.told.map(({ reason, note }) => `${reason}: ${note}`), pass, ...seen };
}

// hack/decisions/0051 S27: a set that might not be deleted was told as one that might not be changed.
describe('a refused action is told in its own words', () => {
  test.each([
    ['the deletion of sets', /^delete/, deleted, 'FailedDelete', 'delete new: not today (and 1 other)'],
    [
      'that of one beyond the history',
      /^delete/,
      { spec: { revisionHistoryLimit: 0 } },
      'FailedDelete',
      'delete old: not today',
    ],
    ['a change of a set', /^patch/, { spec: { minReadySeconds: 7 } }, 'FailedUpdate', 'patch new: not today'],
    [
      'a change of the deployment itself',
      /^patch pool/,
      { metadata: { annotations: revised('1') } },
      'FailedUpdate',
      'patch pool: not today',
    ],
  ])('%s', async (_what, refused, changes, reason, message) => {
    const { thrown, condition, events } = await told(refused, changes as Changes);
    expect(thrown).toBe(message);
    expect(condition).toMatchObject({ status: 'True', reason, message });
    expect(events).toEqual([`${reason}: ${message}`]);
  });
});
