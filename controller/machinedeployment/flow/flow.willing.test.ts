import { describe, expect, test } from 'bun:test';
import { machineDeployment } from '../../../test/fixtures/objects.ts';
import { plan } from './flow.ts';
import { statusOf } from './status.ts';
import { type Size, setOf, view } from './view.fixture.ts';

const older = machineDeployment({ spec: { template: { spec: { class: { name: 'old' } } } } });
const oldest = machineDeployment({ spec: { template: { spec: { class: { name: 'oldest' } } } } });
const revised = (revision: number) => ({
  'deployment.kubernetes.io/revision': `${revision}`,
  'machinedeployment.clusters.x-k8s.io/revision': `${revision}`,
});

/** What is planned step by step while of these sets everything is refused, and each other one follows. */
function planned(
  sizes: Readonly<Record<string, Size>>,
  refused: readonly string[],
  more: { metadata?: object; spec?: object } = {},
) {
  const annotations = revised(Object.keys(sizes).length);
  const base = machineDeployment({ metadata: { annotations }, ...more } as never);
  const made = machineDeployment();
  const owners = { oldest, old: older, new: more.spec ? made : base };
  const facts = Object.entries(sizes).map(([name, size], index) => {
    const fact = setOf(owners[name as keyof typeof owners], name, size);
    fact.set.metadata.annotations = { ...fact.set.metadata.annotations, ...revised(index + 1) };
    return fact;
  });
  const uids = new Set(refused.map((name) => `${name.includes(' ') ? name : `scale uid-${name}`}`));
  const { step, outcome } = plan({ ...view(base, facts), refused: uids });
  const told = outcome.kind === 'act' && outcome.action.do === 'scale' ? outcome.action.scalings : [];
  const why =
    outcome.kind === 'wait' && outcome.reason === 'DeletionRefused' ? [`${outcome.reason}: ${outcome.message}`] : [];
  return [step, outcome.kind, ...why, ...told.map(({ set, replicas }) => `${set.metadata.name} ${replicas}`)].join(' ');
}

// hack/decisions/0051 S6: one set that a policy keeps from being changed held up the whole deployment.
describe('a deployment goes on without the sets that may not be changed', () => {
  test.each([
    [
      'no other is kept from shrinking',
      { oldest: { wants: 2 }, old: { wants: 2 }, new: { wants: 3 } },
      ['oldest'],
      'RolloutComplete act old 0',
    ],
    ['it waits for nothing else', { old: { wants: 1 }, new: { wants: 3 } }, ['old'], 'RolloutComplete wait'],
    [
      'others follow its size',
      { old: { wants: 2, scaledFor: [5, 6] }, new: { wants: 3, scaledFor: [5, 6] } },
      ['old'],
      /^Scaled act new \d$/,
    ],
    [
      'once they have followed, it rolls on',
      { old: { wants: 2, scaledFor: [5, 6] }, new: { wants: 2 } },
      ['old'],
      'RolloutComplete wait',
    ],
  ] as const)('%s', (_what, sizes, refused, wanted) => {
    const told = planned(sizes as never, refused);
    if (typeof wanted === 'string') expect(told).toBe(wanted);
    else expect(told).toMatch(wanted);
  });

  test('one that may not be changed is scaled', () => {
    const sizes = { new: { wants: 2, scaledFor: [2, 3] } } as never;
    expect(planned(sizes, ['patchSet uid-new'], { spec: { minReadySeconds: 7 } })).toBe('Scaled act new 3');
    expect(planned(sizes, [], { spec: { minReadySeconds: 7 } })).toBe('NewMachineSetSynced act');
  });

  test('one that may not be deleted keeps its deployment, which is', () => {
    const metadata = { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: machineDeployment().metadata.finalizers };
    const sizes = { old: { wants: 0 }, new: { wants: 3 } };
    const refused = (...names: string[]) =>
      planned(
        sizes,
        names.map((name) => `deleteSets uid-${name}`),
        { metadata: metadata as never },
      );
    expect(refused('new')).toBe('ChildrenDeleted act');
    expect(refused('new', 'old')).toBe('ChildrenDeleted wait DeletionRefused: 2 sets may not be deleted');
  });

  test('what may not be changed is told', () => {
    const refusal = { reason: 'FailedUpdate', message: 'no' } as const;
    const seen = { ...view(machineDeployment(), [setOf(machineDeployment(), 'new', { wants: 3 })]), refusal };
    const { conditions } = statusOf(seen, '2026-01-01T00:00:00Z');
    expect(conditions?.find(({ type }) => type === 'ReplicaFailure')).toMatchObject({
      status: 'True',
      reason: 'FailedUpdate',
      message: 'no',
    });
  });
});
