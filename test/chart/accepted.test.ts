import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import { type OwnCluster, ownControlPlane } from '../api/support/controlplane.ts';
import { established, install } from './cluster.ts';
import { foreign } from './foreign.ts';
import { render } from './helm.ts';
import { deploymentsIn, scenarios, valuesOf } from './scenarios.ts';

/** Namespaces that the scenarios name. */
const NAMESPACES = ['drover-system', 'herds', 'flocks', 'shoot--garden--west', 'drover-virtual-cloud'];
const RESTRICTED = 'restricted';

let cluster: OwnCluster;

beforeAll(async () => {
  cluster = await ownControlPlane({ bare: true });
  const restricted = { name: RESTRICTED, labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } };
  const namespaces = [...NAMESPACES.map((name) => ({ name })), restricted];
  await apply([
    ...namespaces.map((metadata) => ({ apiVersion: 'v1', kind: 'Namespace', metadata })),
    ...['Issuer', 'Certificate'].map((kind) => foreign('cert-manager.io', 'v1', kind)),
    ...['ServiceMonitor', 'PrometheusRule'].map((kind) => foreign('monitoring.coreos.com', 'v1', kind)),
  ]);
  await established(cluster);
}, 180_000);

afterAll(() => cluster?.end());

test.each([...scenarios])(
  'an API server takes the scenario %s, object by object and field by field',
  async (scenario) => {
    const objects = await render({ files: [valuesOf(scenario)] });
    await apply([...objects, ...podsOf(objects)], '--dry-run=server', '--validate=strict');
  },
);

test('a pod that breaks the restricted profile is refused here, so those of the scenarios are really judged', async () => {
  const objects = await render({ set: { 'controller.podTemplate': { spec: { hostNetwork: true } } } });
  const refused = apply(podsOf(objects), '--dry-run=server');
  await expect(refused).rejects.toThrow('violates PodSecurity "restricted:latest"');
});

/** The pods of workloads and tests, in the namespace where pod security admits none but restricted ones. */
function podsOf(objects: readonly KubeObject[]): KubeObject[] {
  const made = deploymentsIn(objects).map(({ metadata: { name }, spec: { template } }) => ({
    ...template,
    metadata: { ...template.metadata, name },
  }));
  const pods = [...made, ...objects.filter(({ kind }) => kind === 'Pod')];
  return pods.map((pod) => ({
    ...pod,
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...pod.metadata, namespace: RESTRICTED },
  }));
}

const apply = (objects: readonly KubeObject[], ...words: string[]) => install(cluster, objects, ...words);
