import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
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

describe.each([...scenarios])('the scenario %s', (scenario) => {
  test('is accepted by an API server, object by object and field by field', async () => {
    const objects = await render({ files: [valuesOf(scenario)] });
    await apply(objects, '--dry-run=server', '--validate=strict');
  });

  test('has pods that the restricted profile of pod security admits', async () => {
    for (const { spec, metadata } of deploymentsIn(await render({ files: [valuesOf(scenario)] }))) {
      const pod = { apiVersion: 'v1', kind: 'Pod', ...spec.template };
      const named = { ...pod, metadata: { ...pod.metadata, name: metadata.name, namespace: RESTRICTED } };
      await apply([named], '--dry-run=server', '--validate=strict');
    }
  });
});

test('a pod that breaks the profile is refused here, so the others are really judged', async () => {
  const [deployment] = deploymentsIn(
    await render({ set: { 'controller.podTemplate': { spec: { hostNetwork: true } } } }),
  );
  const pod = { apiVersion: 'v1', kind: 'Pod', ...deployment?.spec.template };
  const named = { ...pod, metadata: { ...pod.metadata, name: 'pod', namespace: RESTRICTED } };
  await expect(apply([named], '--dry-run=server')).rejects.toThrow('violates PodSecurity "restricted:latest"');
});

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
