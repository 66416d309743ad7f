import { describe, expect, test } from 'bun:test';
import { BORN, node } from '../../../test/fixtures/objects.ts';
import { lacking, type NodeChange, objectPatch } from '../../nodes/change.ts';
import type { Node } from '../../runtime/k8s/core.ts';
import { statusOf } from '../status/status.ts';
import { plan } from './flow.ts';
import { asks, change, last, type Parts, seen, TEMPLATE, taint } from './nodesync.fixture.ts';
import { nodeSynced } from './nodesync.ts';
import { readyNode } from './view.fixture.ts';

const CAPACITY = 'node.machine.sapcloud.io/last-applied-virtual-capacity';
const OWNED = { 'machine.sapcloud.io/machine': 'm', 'machine.sapcloud.io/cluster-namespace': 'herd' };
/** What only says something of Nodes without it. */
const THEIRS = { 'machine.sapcloud.io/cluster-name': 'west' };
const CLAIMED = {
  'machine.sapcloud.io/machine': 'other',
  'machine.sapcloud.io/cluster-namespace': 'elsewhere',
  'machine.sapcloud.io/cluster-name': 'east',
  'node.machine.sapcloud.io/not-managed-by-mcm': '1',
  'drover.dev/orphan-deletion': '{}',
};

describe('labels and annotations of a Node (hack/spec/mcm.md 6.9, hack/spec/cluster-api.md A1.12 L7)', () => {
  type Row = [what: string, parts: Parts, wanted: NodeChange | undefined];
  const a = asks({ a: '1' }, { b: '2' });
  const rows: Row[] = [
    ['that lacks nothing are left alone', {}, undefined],
    [
      'get what the template asks for, and a record of it',
      { template: a },
      { labels: { a: '1' }, annotations: { b: '2', [TEMPLATE]: JSON.stringify(a) } },
    ],
    [
      'get back what others changed',
      { template: a, node: { metadata: { labels: { a: 'x' }, ...last(a, { b: '2' }) } } },
      { labels: { a: '1' } },
    ],
    [
      'lose what left the template',
      {
        template: asks({ c: '3' }),
        node: { metadata: { labels: { a: '1', theirs: '1' }, ...last(a, { b: '2', theirs: '2' }) } },
      },
      { labels: { a: null, c: '3' }, annotations: { b: null, [TEMPLATE]: JSON.stringify(asks({ c: '3' })) } },
    ],
    [
      'lose all that was asked when the template is gone, and the record',
      { node: { metadata: { labels: { a: '1' }, ...last(a, { b: '2' }) } } },
      { labels: { a: null }, annotations: { b: null, [TEMPLATE]: null } },
    ],
    [
      'are in step when the record was written by Go',
      {
        template: asks({ a: '1' }, {}, [taint('t', '')]),
        node: {
          metadata: {
            labels: { a: '1' },
            ...last(
              '{"spec":{"taints":[{"effect":"NoSchedule","value":"","key":"t"}]},"metadata":{"creationTimestamp":null,"labels":{"a":"1"}}}',
            ),
          },
          spec: { taints: [taint('t')] },
        },
      },
      undefined,
    ],
    [
      'that others use as things happen are not the template’s to set',
      {
        template: asks({}, { 'node.machine.sapcloud.io/preserve': 'now', [TEMPLATE]: 'x' }),
        node: { metadata: last(asks({}, { 'node.machine.sapcloud.io/preserve': 'now', [TEMPLATE]: 'x' })) },
      },
      undefined,
    ],
    [
      'that say whose it is are not the template’s to set, nor to take off (hack/decisions/0028 T8)',
      {
        template: asks({ 'node.gardener.cloud/machine-name': 'other' }, CLAIMED),
        node: {
          metadata: {
            labels: { 'node.gardener.cloud/machine-name': 'm' },
            ...last(asks({ 'node.gardener.cloud/machine-name': 'other' }, CLAIMED), { ...OWNED, ...THEIRS }),
          },
        },
      },
      undefined,
    ],
    [
      'that say whose it is stay when a record says that a template had them',
      {
        node: {
          metadata: {
            labels: { 'node.gardener.cloud/machine-name': 'm' },
            ...last(asks({ 'node.gardener.cloud/machine-name': 'other' }, CLAIMED), { ...OWNED, ...THEIRS }),
          },
        },
      },
      { annotations: { [TEMPLATE]: null } },
    ],
    [
      'are those of its role when the template says so: who may write that is for admission to say (hack/decisions/0046)',
      {
        template: asks({ 'node-role.kubernetes.io/node': '' }),
        node: { metadata: last(asks({ 'node-role.kubernetes.io/node': '' })) },
      },
      { labels: { 'node-role.kubernetes.io/node': '' } },
    ],
    [
      'that keep an autoscaler away for a while are not the template’s meanwhile',
      {
        template: asks({}, { 'cluster-autoscaler.kubernetes.io/scale-down-disabled': 'false' }),
        node: {
          metadata: last(asks({}, { 'cluster-autoscaler.kubernetes.io/scale-down-disabled': 'false' }), {
            'cluster-autoscaler.kubernetes.io/scale-down-disabled': 'true',
            'cluster-autoscaler.kubernetes.io/scale-down-disabled-by-mcm': 'true',
          }),
        },
      },
      undefined,
    ],
    [
      'tell the cluster-autoscaler whose it is (hack/spec/cluster-api.md E1)',
      { node: { metadata: { annotations: { 'machine.sapcloud.io/machine': 'other' } } } },
      { annotations: { 'machine.sapcloud.io/machine': 'm' } },
    ],
    [
      'tell MCM’s tools whose it is',
      { node: { metadata: { labels: { 'node.gardener.cloud/machine-name': '' } } } },
      { labels: { 'node.gardener.cloud/machine-name': 'm' } },
    ],
  ];
  test.each(rows)('%s', (_what, parts, wanted) => {
    expect(change(seen(parts))).toEqual(wanted && { reason: 'SyncNode', ...wanted });
  });

  test('name the Cluster of a machine that has one', () => {
    const one = seen({});
    one.machine.metadata.labels = { ...one.machine.metadata.labels, 'cluster.k8s.io/cluster-name': 'c' };
    expect(change(one)).toMatchObject({ annotations: { 'machine.sapcloud.io/cluster-name': 'c' } });
  });

  test.each(['{', '5', '[]', 'null'])('with the record %j are written anew, once, and told of', (text) => {
    const parts = { template: a, node: { metadata: { labels: { mine: '1' }, ...last(text) } } };
    const written = change(seen(parts));
    expect(written).toEqual({
      reason: 'ReplaceLastApplied',
      labels: { a: '1' },
      annotations: { b: '2', [TEMPLATE]: JSON.stringify(a) },
    });
    const after = { metadata: { labels: { a: '1', mine: '1' }, ...last(a, { b: '2' }) } };
    expect(change(seen({ ...parts, node: after }))).toBeUndefined();
  });

  test('with a record that is odd inside are synchronised all the same', () => {
    const odd = { metadata: { labels: 5, annotations: [] }, spec: { taints: [{ key: 5 }, null] } };
    expect(change(seen({ template: asks({}), node: { metadata: last(odd) } }))).toBeUndefined();
  });
});

describe('virtual capacity of a Node (hack/spec/mcm.md 6.9)', () => {
  const gpu = { 'drover.dev/gpu': 2 };
  const record = (capacity: object) => ({ annotations: { [CAPACITY]: JSON.stringify(capacity) } });
  type Row = [what: string, parts: Parts, wanted: NodeChange | undefined];
  const rows: Row[] = [
    ['goes into the status first', { capacity: gpu }, { capacity: { 'drover.dev/gpu': '2' } }],
    [
      'is then recorded',
      { capacity: gpu, node: { status: { capacity: { 'drover.dev/gpu': '2' } } } },
      { annotations: { [CAPACITY]: '{"drover.dev/gpu":"2"}' } },
    ],
    [
      'is left alone when it is the same amount',
      {
        capacity: { 'drover.dev/gpu': '1000' },
        node: { metadata: record({ 'drover.dev/gpu': '1000' }), status: { capacity: { 'drover.dev/gpu': '1k' } } },
      },
      undefined,
    ],
    [
      'that left the class is taken off',
      { capacity: {}, node: { metadata: record(gpu), status: { capacity: { 'drover.dev/gpu': '2', cpu: '4' } } } },
      { capacity: { 'drover.dev/gpu': null } },
    ],
    [
      'that is off is forgotten',
      { node: { metadata: record(gpu), status: { capacity: { cpu: '4' } } } },
      { annotations: { [CAPACITY]: null } },
    ],
  ];
  test.each(rows)('%s', (_what, parts, wanted) => {
    expect(change(seen(parts))).toEqual(wanted && { reason: 'SyncNode', ...wanted });
  });

  test('is left alone while the class is not there to ask', () => {
    const parts = { node: { metadata: record(gpu), status: { capacity: { 'drover.dev/gpu': '2' } } } };
    expect(change(seen(parts, { class: { at: 'missing', name: 'small' } }))).toBeUndefined();
  });
});

const refusedWrites = (...writes: string[]) => {
  const refusal = { message: 'bad label', retryAt: BORN + 600_000 };
  return new Map(['NodeSynced', ...writes.map((write) => `NodeSynced/${write}`)].map((key) => [key, refusal]));
};

// hack/decisions/0051 L50
test.each([
  ['nothing', [], 'SyncNode capacity'],
  ['its capacity', ['changeNode/capacity'], 'SyncNode labels annotations'],
  ['all else', ['changeNode'], 'SyncNode capacity'],
  ['both', ['changeNode/capacity', 'changeNode'], 'UncordonNode condition'],
  ['all three', ['changeNode/capacity', 'changeNode', 'changeNode/condition'], 'pass'],
])('of a Node of which %s was refused what is lacking is written', (_what, writes, expected) => {
  const condition = { type: 'Terminating', status: 'True', reason: 'ScaleDown' } as const;
  const { status } = readyNode.object;
  const changes = { status: { ...status, conditions: [...(status?.conditions ?? []), condition] } };
  const parts = { template: asks({ a: '1' }), capacity: { fan: '2' }, node: changes };
  const answer = nodeSynced(seen(parts, { refused: refusedWrites(...writes) }));
  const asked = answer.kind === 'act' && answer.action.do === 'changeNode' ? Object.keys(answer.action.change) : [];
  expect([answer.kind === 'act' ? answer.reason : answer.kind, ...asked].join(' ')).toBe(expected);
});

describe('a Node that joins while machines are rolled (hack/decisions/0063)', () => {
  const SCALE_DOWN_DISABLED = {
    'cluster-autoscaler.kubernetes.io/scale-down-disabled': 'true',
    'cluster-autoscaler.kubernetes.io/scale-down-disabled-by-mcm': 'true',
  };
  const NOBODYS = { 'machine.sapcloud.io/machine': undefined, 'machine.sapcloud.io/cluster-namespace': undefined };
  const [[SCALE_DOWN = '']] = Object.entries(SCALE_DOWN_DISABLED) as [[string, string]];
  const fresh = (annotations: object = {}) => ({ metadata: { annotations: { ...NOBODYS, ...annotations } } }) as never;
  const written = (parts: Parts, facts: Parameters<typeof seen>[1] = { disablesScaleDown: true }) =>
    change(seen({ node: fresh(), ...parts }, facts))?.annotations;

  test.each<[what: string, parts: Parts, annotations: object]>([
    ['is claimed and kept from the autoscaler in one write', {}, { ...OWNED, ...SCALE_DOWN_DISABLED }],
    ['is only claimed where somebody else keeps it', { node: fresh({ [SCALE_DOWN]: 'true' }) }, OWNED],
    [
      'is kept where somebody else would not',
      { node: fresh({ [SCALE_DOWN]: 'false' }) },
      { ...OWNED, ...SCALE_DOWN_DISABLED },
    ],
  ])('%s', (_what, parts, annotations) => {
    expect(written(parts)).toEqual(annotations as never);
  });

  test.each(['true', 'false'])('has the word of its template, %s, first', (word) => {
    const template = asks({}, { [SCALE_DOWN]: word });
    expect(written({ template })).toEqual({ ...OWNED, [SCALE_DOWN]: word, [TEMPLATE]: JSON.stringify(template) });
  });

  test('is only claimed where nobody rolls', () => {
    expect(written({}, {})).toEqual(OWNED);
  });

  test('is claimed all the same where such a write was refused', () => {
    expect(written({}, { disablesScaleDown: true, refused: refusedWrites('changeNode/scaleDownDisabled') })).toEqual(
      OWNED,
    );
  });

  test('is left alone where its claim was refused as well', () => {
    const refused = refusedWrites('changeNode/scaleDownDisabled', 'changeNode');
    expect(nodeSynced(seen({ node: fresh() }, { disablesScaleDown: true, refused })).kind).toBe('pass');
  });
});

test('a Node whose change is refused is judged as any other, and the refusal is shown', () => {
  const one = seen({ template: asks({ a: '1' }) }, { refused: refusedWrites('changeNode') });
  const decision = plan(one);
  expect(decision.step).toBe('Reconciled');
  const conditions = statusOf(one, decision, '2026-01-01T00:01:00Z')?.conditions ?? [];
  expect(conditions.find(({ type }) => type === 'NodeSynced')).toMatchObject({ status: 'False', message: 'bad label' });
});

test('a Node is brought in step before its health is judged', () => {
  const unwell = { ...readyNode, ready: false };
  expect(plan(seen({ template: asks({ a: '1' }) }, { node: unwell }))).toMatchObject({
    step: 'NodeSynced',
    outcome: { reason: 'SyncNode' },
  });
});

test('a Node that is going is left alone', () => {
  const going = { ...readyNode, deleting: true, object: node({ metadata: { labels: {} } }) };
  expect(change(seen({ template: asks({ a: '1' }) }, { node: going }))).toBeUndefined();
});

test('what was written is not lacking', () => {
  const one = seen({ template: asks({ a: '1' }, { b: '2' }, [taint('a', '')]), taints: [taint('b')] });
  const first = change(one);
  if (!first || one.node.at !== 'present') throw new Error('nothing to write');
  const { metadata, spec } = objectPatch(one.node.object, first) as Node;
  const after = node({
    metadata: { labels: metadata.labels, annotations: { ...OWNED, ...metadata.annotations } },
    spec,
  } as never);
  expect(
    change(seen({ template: one.machine.spec?.nodeTemplate, taints: [taint('b')], node: after as never })),
  ).toBeUndefined();
  expect(lacking(after, first)).toBeUndefined();
});
