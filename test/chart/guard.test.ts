import { describe, expect, test } from 'bun:test';
import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import { only, refusal, render, type Values } from './helm.ts';
import type { Deployment } from './scenarios.ts';

interface Configuration extends KubeObject {
  webhooks: Array<{ name: string; failurePolicy: string; timeoutSeconds: number; namespaceSelector?: object }>;
}

const KINDS = ['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration'];

const registered = async (set: Values = {}) => {
  const objects = await render({ set });
  return KINDS.flatMap((kind) => only<Configuration>(objects, kind, 'drover').webhooks);
};

describe('the registration', () => {
  test('guards all namespaces, and refuses what nobody could check', async () => {
    const webhooks = await registered();
    expect(webhooks.filter(({ namespaceSelector }) => namespaceSelector !== undefined)).toEqual([]);
    expect(webhooks.find(({ name }) => name === 'validate.drover.dev')?.failurePolicy).toBe('Fail');
  });

  test.each<[string, Values, object]>([
    [
      'that is looked after',
      { 'controller.namespace': 'herds' },
      { matchLabels: { 'kubernetes.io/metadata.name': 'herds' } },
    ],
    [
      'that the user names',
      { 'controller.namespace': 'herds', 'webhook.namespaceSelector.matchLabels': { herds: 'yes' } },
      { matchLabels: { herds: 'yes' } },
    ],
  ])('guards the namespace %s', async (_title, set, selector) => {
    const webhooks = await registered(set);
    expect(webhooks.map(({ namespaceSelector }) => namespaceSelector)).toEqual(webhooks.map(() => selector));
  });

  test('lets through unchecked what the user says, and nothing refuses that was let through before', async () => {
    const before = await registered();
    const after = await registered({ 'webhook.failurePolicy': 'Ignore', 'webhook.timeoutSeconds': 9 });
    expect(before.some(({ failurePolicy }) => failurePolicy === 'Ignore')).toBe(true);
    expect(new Set(after.map(({ failurePolicy }) => failurePolicy))).toEqual(new Set(['Ignore']));
    expect(new Set(after.map(({ timeoutSeconds }) => timeoutSeconds))).toEqual(new Set([9]));
  });

  test('carries the annotations of the user', async () => {
    const objects = await render({ set: { 'webhook.annotations': { 'example.com/inject': 'yes' } } });
    for (const kind of KINDS)
      expect(only(objects, kind, 'drover').metadata.annotations).toEqual({ 'example.com/inject': 'yes' });
  });
});

describe('the certificate', () => {
  const tls = async (set: Values) => {
    const objects = await render({ set });
    const { volumes } = only<Deployment>(objects, 'Deployment', 'drover-webhook').spec.template.spec;
    return { objects, volumes };
  };
  const mounted = (secretName: string) =>
    expect.arrayContaining([expect.objectContaining({ name: 'tls', secret: { secretName, defaultMode: 0o440 } })]);

  test('of cert-manager is signed by itself where no issuer is named', async () => {
    const { objects, volumes } = await tls({ 'webhook.tls.mode': 'certManager' });
    expect(volumes).toEqual(mounted('drover-webhook-tls'));
    expect(only(objects, 'Issuer', 'drover-webhook')).toMatchObject({ spec: { selfSigned: {} } });
    expect(only(objects, 'Certificate', 'drover-webhook')).toMatchObject({
      spec: {
        secretName: 'drover-webhook-tls',
        dnsNames: ['drover-webhook.drover-system.svc', 'drover-webhook.drover-system.svc.cluster.local'],
        issuerRef: { kind: 'Issuer', name: 'drover-webhook' },
      },
    });
  });

  test('of cert-manager is signed by the issuer that is named', async () => {
    const { objects } = await tls({
      'webhook.tls.mode': 'certManager',
      'webhook.tls.certManager.issuerRef': { kind: 'ClusterIssuer', name: 'company' },
    });
    expect(objects.filter(({ kind }) => kind === 'Issuer')).toEqual([]);
    expect(only(objects, 'Certificate', 'drover-webhook')).toMatchObject({
      spec: { issuerRef: { kind: 'ClusterIssuer', name: 'company' } },
    });
  });

  test('of the user is mounted as it is', async () => {
    const { volumes } = await tls({ 'webhook.tls.mode': 'provided', 'webhook.tls.provided.secretName': 'mine' });
    expect(volumes).toEqual(mounted('mine'));
  });
});

test('nothing of the webhook is there without it, its test included', async () => {
  const said = await refusal({
    set: { 'webhook.enabled': false },
    words: ['--show-only=templates/tests/admission.yaml'],
  });
  expect(said).toContain('could not find template templates/tests/admission.yaml');
  const objects = await render({ set: { 'webhook.enabled': false } });
  expect(objects.filter(({ metadata }) => metadata.labels?.['app.kubernetes.io/component'] === 'webhook')).toEqual([]);
});

test('a network policy keeps the webhook open to API servers, and lets the controller reach what its driver needs', async () => {
  const egress = { to: [{ ipBlock: { cidr: '192.0.2.0/24' } }] };
  const set = {
    'networkPolicy.enabled': true,
    'networkPolicy.apiServerPorts': [8443],
    'networkPolicy.controllerEgress': [egress],
  };
  const objects = await render({ set });
  expect(only(objects, 'NetworkPolicy', 'drover-webhook')).toMatchObject({
    spec: { policyTypes: ['Ingress', 'Egress'], ingress: [{ ports: [{ port: 'webhook' }] }] },
  });
  const dns = {
    ports: [
      { port: 53, protocol: 'UDP' },
      { port: 53, protocol: 'TCP' },
    ],
  };
  expect(only(objects, 'NetworkPolicy', 'drover-controller')).toMatchObject({
    spec: { ingress: [{ ports: [{ port: 'metrics' }] }], egress: [dns, { ports: [{ port: 8443 }] }, egress] },
  });
});

// hack/decisions/0028 W6
test('with the addresses of API servers known, only these and who may read metrics reach the webhook', async () => {
  const monitoring = { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } };
  const set = {
    'networkPolicy.enabled': true,
    'networkPolicy.apiServerCidrs': ['10.0.0.0/28', 'fd00::/64'],
    'networkPolicy.metricsFrom': [monitoring],
  };
  const objects = await render({ set });
  const from = [{ ipBlock: { cidr: '10.0.0.0/28' } }, { ipBlock: { cidr: 'fd00::/64' } }, monitoring];
  expect(only(objects, 'NetworkPolicy', 'drover-webhook')).toMatchObject({
    spec: { ingress: [{ ports: [{ port: 'webhook' }], from }] },
  });
  expect(await refusal({ set: { 'networkPolicy.apiServerCidrs': ['anywhere'] } })).toContain('apiServerCidrs');
});

// hack/decisions/0028 W6
test('a ConfigMap of authorities makes the webhook answer only API servers with a certificate of one of these', async () => {
  const set = { 'webhook.tls.clientAuthority.configMap': 'apiserver-ca', 'webhook.tls.clientAuthority.key': 'ca.pem' };
  const { containers, volumes } = only<Deployment>(await render({ set }), 'Deployment', 'drover-webhook').spec.template
    .spec;
  expect(containers[0]?.args).toContain('--client-ca-file=/etc/drover/client-ca/ca.pem');
  const mounts: readonly object[] = containers[0]?.volumeMounts ?? [];
  expect(mounts).toContainEqual({ name: 'client-ca', mountPath: '/etc/drover/client-ca', readOnly: true });
  expect(volumes).toContainEqual({ name: 'client-ca', configMap: { name: 'apiserver-ca' } });
});
