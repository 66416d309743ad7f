import { expect, test } from 'bun:test';
import { at, machineDeployment, node } from '../../../test/fixtures/objects.ts';
import { revisionMarks } from '../../model/autoscaler.ts';
import type { Node } from '../../runtime/k8s/core.ts';
import { plan } from './flow.ts';
import { RefusedNodes } from './rolloutnodes.ts';
import { setOf, view } from './view.fixture.ts';
import type { MachineDeploymentView, SetFact } from './view.ts';

const MARK = 'deployment.machine.sapcloud.io/prefer-no-schedule';
const SCALE_DOWN_DISABLED = 'cluster-autoscaler.kubernetes.io/scale-down-disabled';
const OURS = `${SCALE_DOWN_DISABLED}-by-mcm`;
const REVISION = 'deployment.kubernetes.io/revision';

const poolOf = (strategy = 'RollingUpdate') =>
  machineDeployment({
    metadata: { annotations: { [REVISION]: '2' } },
    spec: { replicas: 2, strategy: { type: strategy, rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } } as never,
  });
const pool = poolOf();
const older = machineDeployment({
  spec: { ...pool.spec, template: { spec: { class: { name: 'old' } } } } as never,
});
const annotated = (fact: SetFact, annotations: Record<string, string>): SetFact => {
  const { metadata } = fact.set;
  return {
    ...fact,
    set: { ...fact.set, metadata: { ...metadata, annotations: { ...metadata.annotations, ...annotations } } },
  };
};
const old = (wants: number, marks = {}) => annotated(setOf(older, 'old', { wants }), { ...revisionMarks(1), ...marks });
const fresh = (wants: number, marks = {}) =>
  annotated(setOf(pool, 'new', { wants }), { ...revisionMarks(2), ...marks });
const left = (fact: SetFact): SetFact => ({
  ...fact,
  machines: fact.machines.map((one) => ({ ...one, metadata: { ...one.metadata, deletionTimestamp: at(5) } })),
});
const preserved = (fact: SetFact): SetFact => ({
  ...fact,
  machines: fact.machines.map((one) => ({
    ...one,
    status: { ...one.status, currentStatus: { ...one.status?.currentStatus, preserveExpiryTime: at(600) } },
  })),
});

const taint = { key: MARK, value: 'True', effect: 'PreferNoSchedule' };
const tainted = { spec: { taints: [taint] } };
const disabled = { metadata: { annotations: { [SCALE_DOWN_DISABLED]: 'true', [OURS]: 'true' } } };
const wished = { metadata: { annotations: { [SCALE_DOWN_DISABLED]: 'true' } } };
const plain = {};
const nodesOf = (nodes: Record<string, object>): ReadonlyMap<string, Node> =>
  new Map(Object.entries(nodes).map(([name, changes]) => [`uid-${name}`, node(changes as never)]));

/** What is done about Nodes: `<machine> +taint -taint +noscaledown -noscaledown`, the mark of a set, or nothing. */
function judge(nodes: Record<string, object>, sets: SetFact[], facts: Partial<MachineDeploymentView> = {}): string[] {
  const { outcome } = plan({ ...view(pool, sets), nodes: nodesOf(nodes), ...facts });
  if (outcome.kind !== 'act') return [];
  const { action } = outcome;
  if (action.do === 'patchSet')
    return [`${action.set.metadata.name} ${JSON.stringify(action.patch).includes('True') ? 'marked' : 'unmarked'}`];
  if (action.do !== 'markNodes') return [];
  return action.marks.map(({ machine, change: { taints, annotations } }) => {
    const words = [
      taints?.add && '+taint',
      taints?.remove && '-taint',
      annotations && `${annotations[OURS] ? '+' : '-'}noscaledown`,
    ];
    return [machine.metadata.name, ...words.filter(Boolean)].join(' ');
  });
}

test.each([
  [
    'of old sets are tainted, and all are kept from the autoscaler',
    { 'old-0': plain, 'new-0': plain },
    [old(1), fresh(1)],
    ['old-0 +taint +noscaledown', 'new-0 +noscaledown'],
  ],
  [
    'that joined later are prepared, too',
    { 'old-0': { ...tainted, ...disabled }, 'old-1': plain },
    [old(2, { [MARK]: 'True' }), fresh(0)],
    ['old-1 +taint +noscaledown'],
  ],
  ['are prepared: their set is marked', { 'old-0': { ...tainted, ...disabled } }, [old(2), fresh(0)], ['old marked']],
  [
    'are prepared and their set is marked',
    { 'old-0': { ...tainted, ...disabled } },
    [old(2, { [MARK]: 'True' }), fresh(0)],
    [],
  ],
  [
    'that somebody keeps from the autoscaler stay so',
    { 'old-0': { ...tainted, ...wished } },
    [old(2, { [MARK]: 'True' }), fresh(0)],
    [],
  ],
  [
    'of a set that is the new one again are given back',
    { 'new-0': { ...tainted, ...disabled } },
    [old(1), fresh(1, { [MARK]: 'True' })],
    ['new-0 -taint'],
  ],
  [
    'of it are given back: the mark goes',
    { 'new-0': disabled },
    [old(1), fresh(1, { [MARK]: 'True' })],
    ['new unmarked'],
  ],
  ['of machines that leave are the drain’s', { 'old-0': plain }, [left(old(2)), fresh(0)], []],
  [
    'are released once all is rolled out',
    { 'new-0': disabled, 'new-1': disabled },
    [old(0), fresh(2)],
    ['new-0 -noscaledown', 'new-1 -noscaledown'],
  ],
  [
    'are not released before all machines are available',
    { 'new-0': disabled, 'new-1': disabled },
    [old(0), annotated(setOf(pool, 'new', { wants: 2, available: 1, others: 1 }), revisionMarks(2))],
    [],
  ],
  [
    'are not released while a machine is too many',
    { 'new-0': disabled, 'new-1': disabled },
    [old(0), annotated(setOf(pool, 'new', { wants: 2, available: 2, others: 1 }), revisionMarks(2))],
    [],
  ],
  [
    'of preserved machines are not released',
    { 'new-0': disabled, 'new-1': disabled },
    [old(0), preserved(fresh(2))],
    [],
  ],
  ['that somebody else keeps from the autoscaler are not released', { 'new-0': wished }, [old(0), fresh(2)], []],
  ['of a deployment in which nothing rolls are left alone', { 'new-0': plain }, [fresh(2)], []],
] as Array<[string, Record<string, object>, SetFact[], string[]]>)(
  'Nodes %s (hack/spec/mcm.md 4.7)',
  (_what, nodes, sets, done) => {
    expect(judge(nodes, sets)).toEqual(done);
  },
);

test('without the option Nodes are tainted only, and what is ours is still taken off', () => {
  const off = { disablesScaleDown: false };
  expect(judge({ 'old-0': plain, 'new-0': plain }, [old(1), fresh(1)], off)).toEqual(['old-0 +taint']);
  expect(judge({ 'new-0': disabled }, [old(0), fresh(2)], off)).toEqual(['new-0 -noscaledown']);
});

test('a Recreate prepares nothing: it gives up all machines first', () => {
  expect(judge({ 'old-0': plain }, [old(2), fresh(0)], { deployment: poolOf('Recreate') })).toEqual([]);
});

test('a Node whose change was just refused holds up nothing', () => {
  const refusedNodes = new Set(['uid-node']);
  expect(judge({ 'old-0': plain }, [old(2), fresh(0)], { refusedNodes })).toEqual([]);
});

test('a Node whose change was refused is let alone for ten minutes', () => {
  const refused = new RefusedNodes();
  refused.add('uid-node', 0);
  expect([refused.has('other', 0), refused.has('uid-node', 599_999), refused.has('uid-node', 600_000)]).toEqual([
    false,
    true,
    false,
  ]);
});
