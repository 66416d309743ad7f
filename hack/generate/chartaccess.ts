import { access as controller } from '../../controller/manager/rbac.ts';
import { type Access, NAMESPACE, RELEASE } from '../../schemas/access.ts';
import { access as webhook } from '../../webhook/manifests/rbac.ts';
import { type Generated, notice } from './generated.ts';
import { ruleOf } from './rbac.ts';
import { yamlDocument } from './yaml.ts';

/** Stands in the chart's data for the fullname of the release. */
const FULLNAME = '<fullname>';

/** The rows of both programs as data, of which the chart makes roles with the release's names and namespaces. */
export const chartAccess = (): Generated[] => [
  {
    path: 'charts/drover/files/access.yaml',
    content: `# ${notice('controller/manager/rbac.ts and webhook/manifests/rbac.ts')}\n${yamlDocument({
      controller: controller.map(rowOf),
      webhook: webhook.map(rowOf),
    }).toString({ lineWidth: 0 })}`,
  },
];

/** A row in the words of the chart: `own` is the namespace of the release, and of the Lease. */
export const rowOf = (access: Access) => ({
  why: access.why,
  cluster: access.cluster,
  ...(access.when ? { when: access.when } : {}),
  ...placeOf(access),
  rule: ruleOf({ ...access, ...(access.names ? { names: access.names.map(releaseName) } : {}) }),
});

function placeOf({ scope }: Access): { in: 'cluster' | 'followed' | 'own' } | { in: 'namespace'; namespace: string } {
  if (scope === 'cluster' || scope === 'followed') return { in: scope };
  const namespace = scope.slice('namespace:'.length);
  return namespace === NAMESPACE ? { in: 'own' } : { in: 'namespace', namespace };
}

/** Of a name that begins with the release's, or ends as that of a policy for an account. */
const releaseName = (name: string): string => {
  if (name === RELEASE || name.startsWith(`${RELEASE}-`)) return FULLNAME + name.slice(RELEASE.length);
  return name.replace(`.${RELEASE}-controller.${NAMESPACE}.`, '.<account>.<namespace>.');
};
