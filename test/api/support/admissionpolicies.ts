import { join } from 'node:path';
import { until } from '../../../hack/lib/until.ts';
import type { Cluster } from './controlplane.ts';

const FOLDER = join(import.meta.dir, '../../../charts/drover/files/policies');

const CANARY = 'canary';

/** Refuses one ConfigMap; made after the others, it is judged by no sooner than they are. */
const canary = [
  {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: CANARY },
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: {
        resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
      },
      validations: [{ expression: `object.metadata.name != '${CANARY}'` }],
    },
  },
  {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: CANARY },
    spec: { policyName: CANARY, validationActions: ['Deny'] },
  },
];

/** Installs the policies that the chart has, as ./hack/up does, and waits until the API server judges by them. */
export async function installPolicies(cluster: Pick<Cluster, 'kubectl'>): Promise<void> {
  const apply = async (...words: string[]) => {
    const stdin = canary.map((object) => JSON.stringify(object)).join('\n---\n');
    const { code, stderr } = await cluster.kubectl(['apply', '--server-side', ...words], { stdin });
    if (code !== 0) throw new Error(`kubectl apply of policies: ${stderr}`);
  };
  await apply('-f', FOLDER, '--recursive');
  await apply('-f', '-');
  const refused = async () => {
    const trial = ['create', 'configmap', CANARY, '-n', 'default', '--dry-run=server'];
    return (await cluster.kubectl(trial)).stderr.includes(`ValidatingAdmissionPolicy '${CANARY}'`);
  };
  await until('the policies to be judged by', refused, { timeoutMs: 30_000 });
}
