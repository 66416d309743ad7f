import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { KubeObject } from '../../controller/runtime/object.ts';
import { type OwnCluster, ownControlPlane } from '../api/cluster.ts';
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
  const served = ['issuers.cert-manager.io', 'certificates.cert-manager.io', 'servicemonitors.monitoring.coreos.com'];
  const crds = served.map((name) => `crd/${name}`);
  expect(await cluster.kubectl(['wait', '--for=condition=Established', ...crds])).toMatchObject({ code: 0 });
}, 60_000);

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

async function apply(objects: readonly KubeObject[], ...words: string[]): Promise<void> {
  const stdin = objects.map((object) => JSON.stringify(object)).join('\n---\n');
  const { code, stderr } = await cluster.kubectl(['apply', '--server-side', '-f', '-', ...words], { stdin });
  if (code !== 0) throw new Error(stderr);
}

/** A kind of somebody else's, of which only the name is known here. */
function foreign(group: string, version: string, kind: string): KubeObject {
  const singular = kind.toLowerCase();
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  const spec = {
    group,
    scope: 'Namespaced',
    names: { kind, singular, plural: `${singular}s` },
    versions: [{ name: version, served: true, storage: true, schema }],
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${singular}s.${group}` },
    spec,
  } as KubeObject;
}
