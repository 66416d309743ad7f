import { afterAll, beforeAll, expect, test } from 'bun:test';
import { Api } from '../../controller/runtime/client/api.ts';
import { systemClock as clock } from '../../controller/runtime/clock.ts';
import { secrets } from '../../controller/runtime/k8s/core.ts';
import { until } from '../../hack/lib/until.ts';
import type { Cluster as ClusterObject } from '../../schemas/cluster.ts';
import { resources } from '../../schemas/kinds.ts';
import { type ControllerProcess, startController } from './support/controllerprocess.ts';
import { type OwnCluster, ownControlPlane } from './support/controlplane.ts';

/** A Cluster whose target lacks the policies says so (hack/decisions/0038): here the control cluster is every target. */

let cluster: OwnCluster;
let api: Api;
let controller: ControllerProcess;
let namespace: string;

beforeAll(async () => {
  cluster = await ownControlPlane();
  api = new Api({ connection: cluster.admin, clock });
  namespace = await cluster.namespace('guarded');
  controller = await startController({ cluster, namespace });
  await controller.working();
}, 180_000);

afterAll(async () => {
  await controller?.stop();
  await cluster?.end();
});

/** Makes a Cluster whose kubeconfig is that file's, and waits for what it says of the policies. */
async function guardOf(name: string, kubeconfig: string): Promise<string | undefined> {
  const data = { kubeconfig: Buffer.from(await Bun.file(kubeconfig).text()).toString('base64') };
  await api.create(secrets, { apiVersion: 'v1', kind: 'Secret', metadata: { namespace, name }, data });
  await api.create(resources.clusters, {
    apiVersion: 'drover.dev/v1alpha1',
    kind: 'Cluster',
    metadata: { namespace, name },
    spec: { kubeconfigSecretRef: { name } },
  } as ClusterObject);
  return until(
    `Cluster ${name} to say whether its Nodes are guarded`,
    async () => {
      const { status } = await api.get(resources.clusters, { namespace, name });
      const found = status?.conditions?.find(({ type }) => type === 'NodePolicyInstalled');
      return found && `${found.status} ${found.reason}`;
    },
    { timeoutMs: 30_000 },
  );
}

test('the account that the policies are about is guarded', async () => {
  const { kubeconfig } = await cluster.serviceAccount('drover-system', 'drover-controller');
  expect(await guardOf('guarded', kubeconfig)).toBe('True PolicyFound');
});

test('an administrator is bound by no policy', async () => {
  expect(await guardOf('admin', cluster.kubeconfig)).toBe('False PolicyNotFound');
});

test('another account has none, and may not even look: that fails nothing', async () => {
  const other = await cluster.serviceAccount('drover-system', 'other');
  expect(await guardOf('other', other.kubeconfig)).toBe('Unknown PolicyUnknown');
});

test('another account that may look finds none', async () => {
  const words = ['create', 'clusterrolebinding', 'second', '--clusterrole=cluster-admin'];
  await cluster.kubectl([...words, '--serviceaccount=drover-system:second']);
  const { kubeconfig } = await cluster.serviceAccount('drover-system', 'second');
  expect(await guardOf('second', kubeconfig)).toBe('False PolicyNotFound');
});
