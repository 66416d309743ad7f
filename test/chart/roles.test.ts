import { describe, expect, test } from 'bun:test';
import { access as controller } from '../../controller/manager/rbac.ts';
import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import type { Access } from '../../schemas/access.ts';
import { access as webhook } from '../../webhook/manifests/rbac.ts';
import { render, type Values } from './helm.ts';

/** A role: the parts that are used. */
interface Role extends KubeObject {
  rules: ReadonlyArray<{ apiGroups: string[]; resources: string[]; verbs: string[]; resourceNames?: string[] }>;
}

/** One right, as text: where, on what, which verb. */
const rights = (roles: readonly Role[]): string[] =>
  sorted(
    roles.flatMap(({ kind, metadata, rules }) =>
      rules.flatMap(({ apiGroups, resources, verbs, resourceNames = ['*'] }) =>
        product([kind === 'Role' ? (metadata.namespace ?? '') : '*'], apiGroups, resources, resourceNames, verbs),
      ),
    ),
  );

const declared = (rows: readonly Access[], placeOf: (row: Access) => string): string[] =>
  sorted(rows.flatMap((row) => product([placeOf(row)], [row.group], row.resources, row.names ?? ['*'], row.verbs)));

const product = (...lists: ReadonlyArray<readonly string[]>): string[] =>
  lists.reduce<string[]>((all, list) => all.flatMap((one) => list.map((next) => `${one} ${next}`)), ['']);

const sorted = (texts: readonly string[]): string[] => [...new Set(texts)].sort();

const rolesOf = async (program: string, set: Values = {}) =>
  (await render({ set })).filter(
    (one): one is Role =>
      /Role$/.test(one.kind ?? '') && one.metadata.labels?.['app.kubernetes.io/component'] === program,
  );

/** What the chart does not bring unless it is asked for. */
const VIRTUAL = { 'driver.virtual.enabled': true };

const everywhere = ({ scope }: Access): string => (scope.startsWith('namespace:') ? scope.slice(10) : '*');
const inHerds = (row: Access): string => {
  if (row.scope === 'followed') return 'herds';
  return row.scope === 'namespace:drover-system' ? 'herds' : everywhere(row);
};

describe('the controller may do', () => {
  test('what it declares, and nothing else', async () => {
    expect(rights(await rolesOf('controller', VIRTUAL))).toEqual(declared(controller, everywhere));
  });

  test('that in one namespace alone, where it looks after that one', async () => {
    const roles = await rolesOf('controller', { ...VIRTUAL, 'controller.namespace': 'herds' });
    expect(rights(roles)).toEqual(declared(controller, inHerds));
  });

  test('nothing here to Nodes and pods that are elsewhere', async () => {
    const roles = await rolesOf('controller', { ...VIRTUAL, 'controller.kubeconfig.target': 'far' });
    expect(rights(roles)).toEqual(
      declared(
        controller.filter(({ cluster }) => cluster === 'control'),
        everywhere,
      ),
    );
  });

  test('there what the rest is', async () => {
    const roles = await rolesOf('controller', { ...VIRTUAL, 'rbac.targetOnly': true });
    expect(rights(roles)).toEqual(
      declared(
        controller.filter(({ cluster }) => cluster === 'target'),
        everywhere,
      ),
    );
  });

  test('nothing here when all is elsewhere', async () => {
    const set = { ...VIRTUAL, 'controller.kubeconfig.control': 'far', 'webhook.enabled': false };
    expect(await rolesOf('controller', set)).toEqual([]);
  });

  test('nothing for virtual machines, unless somebody wants them (hack/decisions/0028 W9)', async () => {
    const roles = await rolesOf('controller');
    expect(rights(roles)).toEqual(
      declared(
        controller.filter(({ when }) => when !== 'virtual'),
        everywhere,
      ),
    );
  });

  test('in the control cluster what virtual machines need that join no cluster', async () => {
    const roles = await rolesOf('controller', { ...VIRTUAL, 'controller.kubeconfig.target': 'none' });
    const rows = controller.filter(({ cluster, when }) => cluster === 'control' || when === 'virtual');
    expect(rights(roles)).toEqual(declared(rows, everywhere));
  });
});

describe('the webhook may do', () => {
  test.each<[string, Values, ReadonlyArray<Access['when']>]>([
    ['what it declares', {}, ['issues', 'publishes']],
    [
      'nothing to Secrets when cert-manager keeps its certificate',
      { 'webhook.tls.mode': 'certManager' },
      ['publishes'],
    ],
    [
      'nothing to registrations that the user keeps',
      { 'webhook.tls.mode': 'provided', 'webhook.tls.provided.secretName': 'mine' },
      [],
    ],
  ])('%s', async (_title, set, conditions) => {
    const rows = webhook.filter(({ when }) => when === undefined || conditions.includes(when));
    expect(rights(await rolesOf('webhook', set))).toEqual(declared(rows, everywhere));
  });
});

test('names follow the release', async () => {
  const objects = await render({ release: 'west', namespace: 'herders' });
  const role = objects.find(({ kind, metadata }) => kind === 'Role' && metadata.name === 'west-drover-webhook') as Role;
  expect(role.metadata.namespace).toBe('herders');
  expect(role.rules.flatMap(({ resourceNames = [] }) => resourceNames)).toEqual(['west-drover-webhook-tls']);
});

test('no roles are made where somebody else makes them', async () => {
  const roles = (await render({ set: { 'rbac.create': false } })).filter(({ kind }) => /Role/.test(kind ?? ''));
  expect(roles).toEqual([]);
});
