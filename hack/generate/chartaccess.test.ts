import { expect, test } from 'bun:test';
import type { Access } from '../../schemas/access.ts';
import { rowOf } from './chartaccess.ts';

const pens: Access = {
  group: '',
  resources: ['pens'],
  verbs: ['get'],
  scope: 'cluster',
  cluster: 'target',
  why: 'opens them',
};

test('a row tells its rule, why it is there, and in which cluster', () => {
  expect(rowOf({ ...pens, when: 'virtual' })).toEqual({
    why: 'opens them',
    cluster: 'target',
    when: 'virtual',
    in: 'cluster',
    rule: { apiGroups: [''], resources: ['pens'], verbs: ['get'] },
  });
});

test.each<[Access['scope'], object]>([
  ['cluster', { in: 'cluster' }],
  ['followed', { in: 'followed' }],
  ['namespace:drover-system', { in: 'own' }],
  ['namespace:kube-node-lease', { in: 'namespace', namespace: 'kube-node-lease' }],
])('scope %p is told as %p', (scope, place) => {
  expect(rowOf({ ...pens, scope })).toMatchObject(place);
});

test('names that begin with ours follow the release', () => {
  expect(rowOf({ ...pens, names: ['drover', 'drover-pen', 'drovers', 'kube-system'] }).rule).toMatchObject({
    resourceNames: ['<fullname>', '<fullname>-pen', 'drovers', 'kube-system'],
  });
});
