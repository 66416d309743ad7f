import { expect, test } from 'bun:test';
import { until } from '../../hack/lib/until.ts';
import { established, install, sharedPlane } from './cluster.ts';
import { Release } from './release.ts';

/** A machine-controller-manager of somebody else, which writes label node and spec.providerID without the verb override. */

const NEIGHBOUR = 'system:serviceaccount:neighbours:machine-controller-manager';
const CLAIM = JSON.stringify({ metadata: { labels: { node: 'n-1' } }, spec: { providerID: 'far://vm-1' } });

test('a release of one namespace leaves the claims of others alone (hack/decisions/0028)', async () => {
  const cluster = await sharedPlane();
  const release = new Release(cluster);
  await release.install({ set: { 'webhook.enabled': false, 'controller.namespace': 'drover-system' } });
  await established(cluster);
  await install(cluster, neighbourhood);
  const claim = async (namespace: string) => {
    const words = ['patch', 'mc', 'one', '-n', namespace, '--type=merge', '-p', CLAIM, `--as=${NEIGHBOUR}`];
    const { stdout, stderr } = await cluster.kubectl([...words, '--dry-run=server']);
    return stdout + stderr;
  };
  // A policy holds a moment after it is made, and one that does not hold yet would refuse nobody.
  const refused = async () => (await claim('drover-system')).includes("ValidatingAdmissionPolicy 'drover-claims'");
  await until('the policy to hold', refused, { timeoutMs: 20_000 });
  expect(await claim('neighbours')).toContain('machine.machine.sapcloud.io/one patched');
  for (const namespace of ['drover-system', 'neighbours'])
    await cluster.kubectl(['delete', 'mc', 'one', '-n', namespace]);
  await cluster.kubectl(['delete', 'clusterrole,clusterrolebinding', 'neighbour']);
  await release.uninstall();
}, 180_000);

const machine = (namespace: string) => ({
  apiVersion: 'machine.sapcloud.io/v1alpha1',
  kind: 'Machine',
  metadata: { name: 'one', namespace },
  spec: { class: { kind: 'MachineClass', name: 'far' } },
});
const metadata = { name: 'neighbour' };
const neighbourhood = [
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'neighbours' } },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata,
    rules: [{ apiGroups: ['machine.sapcloud.io'], resources: ['machines'], verbs: ['get', 'patch', 'update'] }],
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata,
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'neighbour' },
    subjects: [{ kind: 'User', name: NEIGHBOUR, apiGroup: 'rbac.authorization.k8s.io' }],
  },
  machine('drover-system'),
  machine('neighbours'),
];
