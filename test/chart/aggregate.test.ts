import { expect, test } from 'bun:test';
import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import { kinds } from '../../schemas/kinds.ts';
import { render, type Values } from './helm.ts';

/** Roles of people: what Kubernetes' own roles of a namespace let them do with the kinds. */

interface Role extends KubeObject {
  rules: ReadonlyArray<{ apiGroups: string[]; resources: string[]; verbs: string[] }>;
}

const AGGREGATE = 'rbac.authorization.k8s.io/aggregate-to-';

async function partsOf(role: string, set: Values = {}): Promise<Role[]> {
  const roles = (await render({ set })).filter((one): one is Role => one.kind === 'ClusterRole');
  return roles.filter(({ metadata }) => metadata.labels?.[`${AGGREGATE}${role}`] === 'true');
}

const verbs = (roles: readonly Role[]) => [
  ...new Set(roles.flatMap(({ rules }) => rules.flatMap((rule) => rule.verbs))),
];

test.each(['view', 'edit', 'admin'])('who has the role %s may look at all kinds', async (role) => {
  const rules = (await partsOf(role)).flatMap((part) => part.rules);
  const seen = rules.flatMap(({ apiGroups, resources }) => resources.map((one) => `${one}.${apiGroups[0]}`));
  for (const { plural, group } of kinds) expect(seen).toContain(`${plural}.${group}`);
  expect(verbs(await partsOf(role)).sort()).toEqual(['get', 'list', 'watch']);
});

test('who has the role edit or admin may write where that is asked for, and never override', async () => {
  const set = { 'rbac.aggregate.edit': true };
  const write = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
  for (const role of ['edit', 'admin']) expect(verbs(await partsOf(role, set)).sort()).toEqual(write);
  expect(verbs(await partsOf('view', set)).sort()).toEqual(['get', 'list', 'watch']);
});

test.each<[string, Values]>([
  ['where none is wanted', { 'rbac.aggregate.view': false }],
  ['without rights', { 'rbac.create': false }],
  ['of a target', { 'rbac.targetOnly': true }],
])('an installation %s adds nothing to roles of others', async (_what, set) => {
  expect(await partsOf('view', set)).toEqual([]);
});
