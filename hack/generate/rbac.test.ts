import { expect, test } from 'bun:test';
import type { Access } from '../../schemas/access.ts';
import { rbacFile } from './rbac.ts';

const cluster = 'control';
const access: readonly Access[] = [
  { cluster, group: 'apps', resources: ['sheep'], verbs: ['get'], scope: 'cluster', why: 'counts them' },
  { cluster, group: '', resources: ['pens'], verbs: ['get'], names: ['big'], scope: 'namespace:farm', why: 'opens it' },
  { cluster, group: '', resources: ['dogs'], verbs: ['create'], scope: 'namespace:kube-system', why: 'helps' },
  { cluster, group: '', resources: ['bells'], verbs: ['get'], scope: 'followed', why: 'hears them' },
];

const { path, content } = rbacFile('shepherd', access);
const objects = Bun.YAML.parse(content) as Array<{ kind: string; metadata: { name: string; namespace?: string } }>;

test('a program gets its namespaces, a ServiceAccount, and a role with a binding for each scope', () => {
  expect(path).toBe('charts/drover/files/rbac/shepherd.yaml');
  expect(objects.map(({ kind, metadata: { name, namespace } }) => [kind, name, namespace])).toEqual([
    ['Namespace', 'drover-system', undefined],
    ['Namespace', 'farm', undefined],
    ['ServiceAccount', 'drover-shepherd', 'drover-system'],
    ['ClusterRole', 'drover-shepherd', undefined],
    ['ClusterRoleBinding', 'drover-shepherd', undefined],
    ['Role', 'drover-shepherd', 'farm'],
    ['RoleBinding', 'drover-shepherd', 'farm'],
    ['Role', 'drover-shepherd', 'kube-system'],
    ['RoleBinding', 'drover-shepherd', 'kube-system'],
  ]);
});

test('what is followed is followed in all namespaces', () => {
  expect(objects[3]).toMatchObject({ rules: [{ resources: ['sheep'] }, { resources: ['bells'] }] });
});

test('a rule says its names and, in a comment, why it is there', () => {
  expect(objects[5]).toMatchObject({
    rules: [{ apiGroups: [''], resources: ['pens'], resourceNames: ['big'], verbs: ['get'] }],
  });
  expect(content).toContain('  # opens it\n  - apiGroups:\n');
});
