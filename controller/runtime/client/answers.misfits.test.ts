import { expect, test } from 'bun:test';
import { leases, nodes, secrets } from '../k8s/core.ts';
import type { KubeObject, Resource } from '../k8s/object.ts';
import { persistentVolumeClaims, podDisruptionBudgets, pods, volumeAttachments } from '../k8s/workload.ts';
import { ofKind, ofKindOrStatus, readEvent } from './answers.ts';
import { pageIn } from './listing.ts';

// hack/decisions/0028 T90

const DEEP = JSON.parse('['.repeat(50_000) + ']'.repeat(50_000)) as unknown;
const THROWS = { length: 1, toString: 1, valueOf: 1 };

const metadata = { name: 'a', resourceVersion: '1' };
const refusalOf = (object: object, resource: Resource) => {
  try {
    return String(ofKind(object, resource));
  } catch (error) {
    return String(error);
  }
};

test.each<[field: string, resource: Resource, object: object]>([
  ['metadata.labels', nodes, { metadata: { ...metadata, labels: { zone: THROWS } } }],
  ['metadata.annotations', pods, { metadata: { ...metadata, annotations: ['a'] } }],
  ['metadata.finalizers', nodes, { metadata: { ...metadata, finalizers: [DEEP] } }],
  ['metadata.ownerReferences.uid', pods, { metadata: { ...metadata, ownerReferences: [{ uid: 1 }] } }],
  ['metadata.deletionTimestamp', pods, { metadata: { ...metadata, deletionTimestamp: THROWS } }],
  ['metadata', nodes, { metadata: 'a' }],
  ['spec', nodes, { metadata, spec: 'x' }],
  ['spec.providerID', nodes, { metadata, spec: { providerID: DEEP } }],
  ['spec.unschedulable', nodes, { metadata, spec: { unschedulable: 'no' } }],
  ['spec.taints.value', nodes, { metadata, spec: { taints: [{ key: 'a', value: DEEP }] } }],
  ['status.conditions.message', nodes, { metadata, status: { conditions: [{ type: 'Ready', message: DEEP }] } }],
  ['status.addresses', nodes, { metadata, status: { addresses: { length: 1e9 } } }],
  ['status.nodeInfo.kubeletVersion', nodes, { metadata, status: { nodeInfo: { kubeletVersion: DEEP } } }],
  ['status.capacity', nodes, { metadata, status: { capacity: { cpu: 8 } } }],
  ['status.volumesAttached.name', nodes, { metadata, status: { volumesAttached: [{ name: THROWS }] } }],
  ['spec.nodeName', pods, { metadata, spec: { nodeName: THROWS } }],
  ['spec.priority', pods, { metadata, spec: { priority: '1' } }],
  [
    'spec.volumes.persistentVolumeClaim.claimName',
    pods,
    { metadata, spec: { volumes: [{ persistentVolumeClaim: { claimName: DEEP } }] } },
  ],
  [
    'spec.selector.matchExpressions.values',
    podDisruptionBudgets,
    { metadata, spec: { selector: { matchExpressions: [{ values: [DEEP] }] } } },
  ],
  ['status.disruptionsAllowed', podDisruptionBudgets, { metadata, status: { disruptionsAllowed: [] } }],
  ['spec.volumeName', persistentVolumeClaims, { metadata, spec: { volumeName: {} } }],
  ['spec.source.persistentVolumeName', volumeAttachments, { metadata, spec: { source: { persistentVolumeName: 1 } } }],
  ['spec.renewTime', leases, { metadata, spec: { renewTime: THROWS } }],
  ['data', secrets, { metadata, data: { a: 1 } }],
])('an object whose %s is of another type is that of no API server', (field, resource, object) => {
  const expected = `Error: it answers with a ${resource.kind} of which no API server has the like: its ${field} is of another type, or too long`;
  expect(refusalOf(object, resource)).toBe(expected);
});

test('null is as good as absent, and further fields may be anything', () => {
  const odd = {
    metadata: { ...metadata, creationTimestamp: null, more: DEEP },
    spec: null,
    status: { images: DEEP, conditions: null },
  };
  expect(ofKind<object>(odd, nodes)).toBe(odd);
});

test('a Status is no object, but for an answer to a deletion', () => {
  const status = { kind: 'Status', metadata: { name: '', labels: THROWS }, status: 'Success' } as unknown as KubeObject;
  expect(ofKindOrStatus(status, nodes)).toBeUndefined();
  expect(() => ofKind(status, nodes)).toThrow('its metadata.labels is of another type');
  expect(() => ofKind({ ...status, metadata }, nodes)).toThrow('its status is of another type');
});

test('such an object ends the watch or the list that it is in', () => {
  const object = { metadata, spec: { nodeName: 1 } } as unknown as KubeObject;
  const page = { kind: 'PodList', metadata: { resourceVersion: '1' }, items: [object] };
  expect(() => pageIn(page, pods)).toThrow('its spec.nodeName is of another type');
  const line = JSON.stringify({ type: 'MODIFIED', object });
  const watch = { what: 'watch pods', method: 'GET' };
  expect(() => readEvent(watch, line, pods)).toThrow('its spec.nodeName is of another type');
});
