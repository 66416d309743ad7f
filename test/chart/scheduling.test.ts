import { describe, expect, test } from 'bun:test';
import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import { only, render, type Values } from './helm.ts';
import { type Deployment, valuesOf } from './scenarios.ts';

/** Where pods run and what else people say of them, by the values that other charts have as well. */

const podOf = (objects: readonly KubeObject[], program: string) =>
  only<Deployment>(objects, 'Deployment', `drover-${program}`).spec.template;

describe.each(['controller', 'webhook'])('pods of the %s', (program) => {
  const set = (values: Values): Values =>
    Object.fromEntries(Object.entries(values).map(([key, value]) => [`${program}.${key}`, value]));
  const said = async (values: Values) => podOf(await render({ set: set(values) }), program);

  test('run on Linux, whatever else is asked of their Nodes', async () => {
    expect((await said({})).spec['nodeSelector']).toEqual({ 'kubernetes.io/os': 'linux' });
    expect((await said({ nodeSelector: { pool: 'system' } })).spec['nodeSelector']).toEqual({
      'kubernetes.io/os': 'linux',
      pool: 'system',
    });
  });

  test.each<[string, unknown]>([
    ['tolerations', [{ operator: 'Exists' }]],
    ['affinity', { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } }],
    ['topologySpreadConstraints', [{ topologyKey: 'rack', maxSkew: 2, whenUnsatisfiable: 'DoNotSchedule' }]],
  ])('have the %s of the values, and no other', async (key, value) => {
    expect((await said({ [key]: value })).spec[key]).toEqual(value);
  });

  test('carry labels and annotations beside those by which they are found', async () => {
    const { metadata } = await said({ podLabels: { team: 'a' }, podAnnotations: { cost: '1' } });
    expect(metadata).toMatchObject({
      labels: { team: 'a', 'app.kubernetes.io/component': program },
      annotations: { cost: '1' },
    });
  });

  test('take their environment from Secrets and ConfigMaps as well', async () => {
    const envFrom = [{ secretRef: { name: 'cloud' } }];
    const [container] = (await said({ envFrom })).spec.containers;
    expect(container).toMatchObject({ envFrom });
  });

  test('say all else by their template, which comes last', async () => {
    const template = { spec: { hostNetwork: true, tolerations: [{ key: 'b' }] } };
    const { spec } = await said({ tolerations: [{ key: 'a' }], podTemplate: template });
    expect(spec).toMatchObject({ hostNetwork: true, tolerations: [{ key: 'b' }] });
  });
});

test.each([[['registry']], [[{ name: 'registry' }]]])('all pods pull with the Secrets of %j', async (secrets) => {
  const objects = await render({ set: { imagePullSecrets: secrets } });
  const check = only<KubeObject & { spec: object }>(objects, 'Pod', 'drover-check');
  for (const { spec } of [podOf(objects, 'controller'), podOf(objects, 'webhook'), check])
    expect(spec).toMatchObject({ imagePullSecrets: [{ name: 'registry' }] });
});

test('the webhook listens where it is told, and its Service finds it there', async () => {
  const objects = await render({ set: { 'webhook.port': 10250, 'webhook.extraArgs': ['--log-level=debug'] } });
  const [container] = podOf(objects, 'webhook').spec.containers;
  expect(container).toMatchObject({ ports: [{ name: 'webhook', containerPort: 10_250 }] });
  expect(container?.args).toEqual(expect.arrayContaining(['--port=10250', '--log-level=debug']));
  expect(only(objects, 'Service', 'drover-webhook')).toMatchObject({
    spec: { ports: [{ port: 443, targetPort: 'webhook' }] },
  });
});

test('the pod of helm test runs where the webhook does', async () => {
  const objects = await render({ files: [valuesOf('scheduling')] });
  const { spec } = only<KubeObject & { spec: Record<string, unknown> }>(objects, 'Pod', 'drover-check');
  for (const key of ['nodeSelector', 'tolerations']) expect(spec[key]).toEqual(podOf(objects, 'webhook').spec[key]);
});
