import type { Document } from 'yaml';
import { access as controller } from '../../controller/manager/rbac.ts';
import { type Access, NAMESPACE } from '../../schemas/access.ts';
import { access as webhook } from '../../webhook/manifests/rbac.ts';
import type { Generated } from './generated.ts';
import { commentEntries, yamlDocument, yamlFile } from './yaml.ts';

/** Namespaces, a ServiceAccount, and roles with their bindings for each program. */
export const rbac = (): Generated[] => [rbacFile('controller', controller), rbacFile('webhook', webhook)];

type Scope = Exclude<Access['scope'], 'followed'>;

/** All namespaces are looked after here. */
const placeOf = ({ scope }: Access): Scope => (scope === 'followed' ? 'cluster' : scope);

const AUTHORIZATION = 'rbac.authorization.k8s.io';

/** The file of one program, whose ServiceAccount is `drover-<program>`. */
export function rbacFile(program: string, access: readonly Access[]): Generated {
  const name = `drover-${program}`;
  const scopes = [...new Set(access.map(placeOf))];
  const documents = [
    ...namespaces(scopes).map((namespace) =>
      yamlDocument({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }),
    ),
    yamlDocument({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace: NAMESPACE } }),
    ...keptSecrets(access).map((secret) =>
      yamlDocument({ apiVersion: 'v1', kind: 'Secret', metadata: { name: secret, namespace: NAMESPACE } }),
    ),
    ...scopes.flatMap((scope) =>
      roleAndBinding(
        name,
        scope,
        access.filter((row) => placeOf(row) === scope),
      ),
    ),
  ];
  return {
    path: `charts/drover/files/rbac/${program}.yaml`,
    content: yamlFile(`${program}/access.ts`, documents),
  };
}

/** Secrets that a program writes and may not make: they are made empty. */
const keptSecrets = (access: readonly Access[]): string[] =>
  access.flatMap(({ resources, verbs, names = [] }) =>
    resources.includes('secrets') && verbs.includes('update') ? names : [],
  );

/** Those that a cluster does not have from the start. */
const namespaces = (scopes: readonly Scope[]): string[] =>
  [...new Set([NAMESPACE, ...scopes.flatMap((scope) => namespaceOf(scope) ?? [])])].filter(
    (namespace) => !namespace.startsWith('kube-'),
  );

const namespaceOf = (scope: Scope): string | undefined =>
  scope === 'cluster' ? undefined : scope.slice('namespace:'.length);

function roleAndBinding(name: string, scope: Scope, access: readonly Access[]): Document[] {
  const namespace = namespaceOf(scope);
  const kind = namespace ? 'Role' : 'ClusterRole';
  const apiVersion = `${AUTHORIZATION}/v1`;
  const metadata = namespace ? { name, namespace } : { name };
  const role = yamlDocument({ apiVersion, kind, metadata, rules: access.map(ruleOf) });
  const binding = yamlDocument({
    apiVersion,
    kind: `${kind}Binding`,
    metadata,
    roleRef: { apiGroup: AUTHORIZATION, kind, name },
    subjects: [{ kind: 'ServiceAccount', name, namespace: NAMESPACE }],
  });
  return [
    commentEntries(
      role,
      'rules',
      access.map(({ why }) => why),
    ),
    binding,
  ];
}

/** A row as a rule of a role. */
export const ruleOf = ({ group, resources, names, verbs }: Access) => ({
  apiGroups: [group],
  resources,
  ...(names ? { resourceNames: names } : {}),
  verbs,
});
