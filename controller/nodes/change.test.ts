import { describe, expect, test } from 'bun:test';
import { node } from '../../test/fixtures/objects.ts';
import { conditionAt, lacking, type NodeChange, objectPatch, statusPatch } from './change.ts';

const theirs = { key: 'their/taint', effect: 'NoExecute' };
const ours = { key: 'our/taint', effect: 'NoSchedule', value: 'a' };
const told = { type: 'Preserved', status: 'True', reason: 'Why', message: 'So it is.' };
const marked = node({
  metadata: { labels: { a: '1' }, annotations: { b: '2' } },
  spec: { unschedulable: true, taints: [theirs, ours] },
  status: { conditions: [{ type: 'Ready', status: 'True' }, told], capacity: { 'a/gpu': '1k', cpu: '4' } },
});

describe('of a change a Node lacks', () => {
  const rows: Array<[string, NodeChange, NodeChange | undefined]> = [
    ['nothing when it shows all', { labels: { a: '1', c: null }, annotations: { b: '2' } }, undefined],
    ['only the labels that differ', { labels: { a: '1', c: '3' } }, { labels: { c: '3' } }],
    ['an annotation to take off', { annotations: { b: null } }, { annotations: { b: null } }],
    ['no cordon when it is cordoned', { unschedulable: true }, undefined],
    ['the end of a cordon', { unschedulable: false }, { unschedulable: false }],
    ['no taint that it carries', { taints: { add: [ours] } }, undefined],
    [
      'a taint whose value is another',
      { taints: { add: [{ ...ours, value: 'b' }] } },
      { taints: { add: [{ ...ours, value: 'b' }] } },
    ],
    [
      'nothing of a taint that is gone',
      { taints: { remove: [{ key: 'our/taint', effect: 'PreferNoSchedule' }] } },
      undefined,
    ],
    [
      'no condition that says the same at another time',
      { condition: { ...told, lastHeartbeatTime: 'now' } },
      undefined,
    ],
    ['a condition that says more', { condition: { ...told, message: '' } }, { condition: { ...told, message: '' } }],
    ['no taint without a value that says so', { taints: { add: [{ ...theirs, value: '' }] } }, undefined],
    [
      'a taint with the time that is wanted',
      { taints: { add: [{ ...theirs, timeAdded: '2026-01-01T00:00:00Z' }] } },
      { taints: { add: [{ ...theirs, timeAdded: '2026-01-01T00:00:00Z' }] } },
    ],
    ['no capacity that is written otherwise', { capacity: { 'a/gpu': '1000', 'a/disk': null } }, undefined],
    ['capacity that differs', { capacity: { 'a/gpu': '2', cpu: null } }, { capacity: { 'a/gpu': '2', cpu: null } }],
    ['no end of a condition that it has not', { condition: { type: 'Other', gone: true } }, undefined],
  ];
  test.each(rows)('%s', (_what, change, rest) => {
    expect(lacking(marked, change)).toEqual(rest as NodeChange);
  });
});

describe('the patch of a Node', () => {
  test('that takes a wish to preserve off is good for this version only (hack/decisions/0051 U22)', () => {
    const change = { annotations: { 'node.machine.sapcloud.io/preserve': null } };
    expect(objectPatch(marked, change)).toMatchObject({ metadata: { ...change, resourceVersion: '1' } });
  });

  test('keeps the taints of others, and is good for this version only', () => {
    const change = { taints: { add: [{ ...ours, value: 'b' }] } };
    expect(objectPatch(marked, change)).toEqual({
      metadata: { uid: 'uid-node', resourceVersion: '1' },
      spec: { taints: [theirs, { ...ours, value: 'b' }] },
    });
  });

  // hack/decisions/0028 O18
  test.each<[string, NodeChange, boolean]>([
    ['takes a cordon off', { unschedulable: false }, true],
    ['says whose a cordon is', { unschedulable: true, annotations: { 'drover.dev/cordoned': 'true' } }, true],
    ['says no more whose a cordon is', { annotations: { 'drover.dev/cordoned': null } }, true],
    ['cordons whatever others did', { unschedulable: true }, false],
  ])('that %s is good for this version only: %j', (_what, change, isBound) =>
    expect(objectPatch(marked, change)).toMatchObject({ metadata: isBound ? { resourceVersion: '1' } : {} }),
  );

  test('without taints and cordon is good for any version of this Node', () => {
    const change = { labels: { a: null } };
    expect(objectPatch(marked, change)).toEqual({ metadata: { labels: { a: null }, uid: 'uid-node' }, spec: {} });
    expect(objectPatch(marked, { unschedulable: true })).toEqual({
      metadata: { uid: 'uid-node' },
      spec: { unschedulable: true },
    });
    expect(statusPatch(marked, change)).toBeUndefined();
  });

  test('writes capacity key by key', () => {
    const change = { capacity: { 'a/gpu': '2', 'a/disk': null } };
    expect(objectPatch(marked, change)).toBeUndefined();
    expect(statusPatch(marked, change)).toEqual({ metadata: { uid: 'uid-node' }, status: change });
  });

  test('writes and takes off conditions one by one', () => {
    expect(objectPatch(marked, { condition: told })).toBeUndefined();
    expect(statusPatch(marked, { condition: told })).toMatchObject({ status: { conditions: [told] } });
    expect(statusPatch(marked, { condition: { type: 'Preserved', gone: true } })).toMatchObject({
      status: { conditions: [{ $patch: 'delete', type: 'Preserved' }] },
    });
  });
});

test('a condition moves when its status does', () => {
  const old = node({ status: { conditions: [{ ...told, lastTransitionTime: 'before' }] } });
  expect(conditionAt(old, told, 'now')).toMatchObject({ lastTransitionTime: 'before', lastHeartbeatTime: 'now' });
  expect(conditionAt(old, { ...told, status: 'False' }, 'now').lastTransitionTime).toBe('now');
  expect(conditionAt(old, { type: 'Preserved', status: 'False' }, 'now')).toMatchObject({ reason: '', message: '' });
});
