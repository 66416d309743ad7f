import { expect, test } from 'bun:test';
import { configMaps, leases, nodes } from '../k8s/core.ts';
import { pathOf, pathOfAll, queryOf } from './requests.ts';

test.each([
  ['a collection of all namespaces', pathOfAll(leases), '/apis/coordination.k8s.io/v1/leases'],
  [
    'a collection of one namespace',
    pathOf(leases, { namespace: 'farm' }),
    '/apis/coordination.k8s.io/v1/namespaces/farm/leases',
  ],
  ['the core group', pathOf(configMaps, { namespace: 'farm' }), '/api/v1/namespaces/farm/configmaps'],
  ['an object', pathOf(configMaps, { namespace: 'farm', name: 'a' }), '/api/v1/namespaces/farm/configmaps/a'],
  ['a subresource', pathOf(nodes, { name: 'n', subresource: 'status' }), '/api/v1/nodes/n/status'],
  ['a cluster-scoped object with a stray namespace', pathOf(nodes, { namespace: 'x', name: 'n' }), '/api/v1/nodes/n'],
  ['a name with a colon', pathOf(nodes, { name: 'system:n' }), '/api/v1/nodes/system%3An'],
])('the path of %s', (_what, path, expected) => {
  expect(path).toBe(expected);
});

test.each(['', '.', '..', 'a/b', 'a%2fb'])('"%s" is refused as a name and as a namespace', (text) => {
  expect(() => pathOf(nodes, { name: text })).toThrow(`"${text}" is not a name`);
  expect(() => pathOf(configMaps, { namespace: text })).toThrow(`"${text}" is not a namespace`);
});

test('a namespaced object without a namespace is refused', () => {
  expect(() => pathOf(configMaps, { name: 'a' })).toThrow('configmaps live in namespaces');
  expect(() => pathOf(configMaps, {})).toThrow('configmaps live in namespaces');
});

test.each([
  [{}, ''],
  [{ limit: undefined }, ''],
  [{ limit: 500, watch: true, labelSelector: 'a in (b, c)' }, '?limit=500&watch=true&labelSelector=a+in+%28b%2C+c%29'],
])('the query of %o is "%s"', (query, expected) => {
  expect(queryOf(query)).toBe(expected);
});
