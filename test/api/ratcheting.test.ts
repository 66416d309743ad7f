import { afterAll, describe, expect, test } from 'bun:test';
import { call } from '../../hack/controlplane/call.ts';
import { until } from '../../hack/lib/until.ts';
import { crd } from '../../schemas/crd.ts';
import type { Manifest } from '../../schemas/examples.fixture.ts';
import { machineDeploymentKind } from '../../schemas/machinedeployment.ts';
import { controlPlane } from './support/controlplane.ts';

const { admin, namespace: makeNamespace } = await controlPlane();
const namespace = await makeNamespace('before');

const merge = (path: string, body: object): Promise<unknown> =>
  call(admin, { method: 'PATCH', path, contentType: 'application/merge-patch+json', body });

describe('an object from before the rules', () => {
  const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  const group = 'before.example.com';
  const name = `machinedeployments.${group}`;
  const objects = `/apis/${group}/v1alpha1/namespaces/${namespace}/machinedeployments`;
  const strict = JSON.parse(JSON.stringify(crd(machineDeploymentKind)).replaceAll('machine.sapcloud.io', group));
  const patience = { timeoutMs: 15_000 };
  // hack/decisions/0028 T55 and T66
  const annotations = Object.fromEntries(Array.from({ length: 1_001 }, (_, at) => [`a-${at}`, '']));
  const finalizers = Array.from({ length: 101 }, (_, at) => `example.com/f${at}`);
  // hack/decisions/0028 T80 and T82
  const taints = Array.from({ length: 1_001 }, (_, at) => ({ key: `t-${at}`, effect: 'NoSchedule' }));
  const broken = {
    replicas: 1,
    template: {
      metadata: { annotations, finalizers },
      spec: {
        drainTimeout: '-5m',
        class: {},
        providerID: 'x'.repeat(1_025),
        nodeTemplate: { metadata: { annotations }, spec: { taints } },
        nodeConditions: 'x,'.repeat(2_049),
        taints,
      },
    },
    strategy: { type: '', rollingUpdate: { maxSurge: 0, maxUnavailable: 0 }, inPlaceUpdate: { maxSurge: -1 } },
  };

  afterAll(() => call(admin, { method: 'DELETE', path: `${CRDS}/${name}` }));

  test('can still be reported on, edited elsewhere, freed of its finalizer and deleted', async () => {
    const loose = structuredClone(strict);
    const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    loose.spec.versions[0].schema.openAPIV3Schema = { type: 'object', properties: { spec: open, status: open } };
    await call(admin, { method: 'POST', path: CRDS, body: loose });
    const body = { apiVersion: `${group}/v1alpha1`, kind: 'MachineDeployment', spec: broken };
    const metadata = { name: 'old', finalizers: ['example.com/kept'] };
    await until(
      'the CRD to be served',
      async () => {
        await call(admin, { method: 'POST', path: objects, body: { ...body, metadata } });
        return true;
      },
      patience,
    );
    const { metadata: now } = (await call(admin, { path: `${CRDS}/${name}` })) as Manifest;
    await call(admin, { method: 'PUT', path: `${CRDS}/${name}`, body: { ...strict, metadata: now } });
    await until('the rules to hold', async () => refused({ ...body, metadata: { name: 'new' } }), patience);

    await merge(`${objects}/old`, { spec: { replicas: 2 } });
    await merge(`${objects}/old/status`, { status: { replicas: 2 } });
    await call(admin, { method: 'DELETE', path: `${objects}/old` });
    await merge(`${objects}/old`, { metadata: { finalizers: null } });
    await expect(call(admin, { path: `${objects}/old` })).rejects.toThrow('404');
  });

  const refused = (body: object): Promise<boolean> =>
    call(admin, { method: 'POST', path: `${objects}?dryRun=All`, body }).then(
      () => false,
      () => true,
    );
});
