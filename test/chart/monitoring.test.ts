import { describe, expect, test } from 'bun:test';
import { once } from 'node:events';
import { connect } from 'node:tls';
import { secrets } from '../../controller/runtime/k8s/core.ts';
import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import { alerts } from '../../hack/generate/monitoring/alerts.ts';
import { dashboard } from '../../hack/generate/monitoring/dashboard.ts';
import { ownControlPlane } from '../api/support/controlplane.ts';
import { only, render, type Values } from './helm.ts';
import { Release } from './release.ts';
import { startFrom } from './started.ts';

interface ServiceMonitor extends KubeObject {
  spec: {
    selector: { matchLabels: Record<string, string> };
    endpoints: Array<{ port: string; honorLabels: boolean; interval: string; scheme?: string; tlsConfig?: object }>;
  };
}

interface Service extends KubeObject {
  spec: { ports: Array<{ name: string }> };
}

interface Rule extends KubeObject {
  spec: { groups: Array<{ rules: Array<{ alert: string; expr: string; annotations: Record<string, string> }> }> };
}

const west = (set: Values = {}) =>
  render({ release: 'west', namespace: 'herds', set: { 'monitoring.enabled': true, ...set } });

const rendered = await west();
const rulesIn = (objects: readonly KubeObject[]) =>
  only<Rule>(objects, 'PrometheusRule', 'west-drover').spec.groups.flatMap(({ rules }) => rules);

const MONITORS = ['ServiceMonitor west-drover-controller', 'ServiceMonitor west-drover-webhook'];
const RULE = 'PrometheusRule west-drover';
const DASHBOARD = 'ConfigMap west-drover-dashboard';

test.each<[string, Values, string[]]>([
  ['all of it', {}, [DASHBOARD, RULE, ...MONITORS]],
  ['nothing unless it is asked for', { 'monitoring.enabled': false }, []],
  ['no dashboard', { 'monitoring.dashboard.enabled': false }, [RULE, ...MONITORS]],
  ['no rules', { 'monitoring.prometheusRule.enabled': false }, [DASHBOARD, ...MONITORS]],
  ['no monitors', { 'monitoring.serviceMonitor.enabled': false }, [DASHBOARD, RULE]],
])('monitoring brings %s', async (_what, set, titles) => {
  const all = (await west(set)).map(({ kind, metadata }) => `${kind} ${metadata.name}`);
  expect(all.filter((title) => [DASHBOARD, RULE, ...MONITORS].includes(title)).sort()).toEqual(titles);
});

test.each(['controller', 'webhook'])('Prometheus finds the Service of the %s, and a port that it has', (program) => {
  const { spec } = only<ServiceMonitor>(rendered, 'ServiceMonitor', `west-drover-${program}`);
  const service = only<Service>(rendered, 'Service', `west-drover-${program}`);
  expect(service.metadata.labels).toMatchObject(spec.selector.matchLabels);
  expect(service.spec.ports.map(({ name }) => name)).toContain(spec.endpoints[0]?.port ?? '');
  expect(spec.endpoints).toMatchObject([{ honorLabels: true, interval: '30s' }]);
});

const authority = (name: string) => ({
  serverName: 'west-drover-webhook.herds.svc',
  ca: { secret: { name, key: 'ca.crt' } },
});

test.each<[string, Values, object]>([
  ['self', {}, authority('west-drover-webhook-tls')],
  ['certManager', { 'webhook.tls.mode': 'certManager' }, authority('west-drover-webhook-tls')],
  [
    'provided with its authority',
    { 'webhook.tls.mode': 'provided', 'webhook.tls.provided': { secretName: 'mine', withAuthority: true } },
    authority('mine'),
  ],
  [
    'provided',
    { 'webhook.tls.mode': 'provided', 'webhook.tls.provided': { secretName: 'mine' } },
    { serverName: 'west-drover-webhook.herds.svc', insecureSkipVerify: true },
  ],
])('Prometheus trusts a webhook whose certificate is %s', async (_mode, set, tlsConfig) => {
  const monitor = only<ServiceMonitor>(await west(set), 'ServiceMonitor', 'west-drover-webhook');
  expect(monitor.spec.endpoints).toMatchObject([{ scheme: 'https', tlsConfig }]);
});

test('by the first of these Prometheus really trusts the webhook', async () => {
  await using ends = new AsyncDisposableStack();
  const cluster = await ownControlPlane({ bare: true });
  ends.defer(() => cluster.end());
  const release = new Release(cluster, 'west', 'herds');
  await release.install();
  const flags = (kubeconfig: string) => [`--kubeconfig=${kubeconfig}`];
  const webhook = await startFrom(release, { deployment: 'west-drover-webhook', flags });
  ends.defer(() => webhook.stop().then(() => {}));
  const { serverName, ca } = authority('west-drover-webhook-tls');
  const { data } = await release.api.get(secrets, { namespace: 'herds', name: ca.secret.name });
  const port = Number(new URL(webhook.base).port);
  const socket = connect({ port, servername: serverName, ca: Buffer.from(data?.[ca.secret.key] ?? '', 'base64') });
  await once(socket, 'secureConnect');
  socket.end();
  expect(socket.authorized).toBe(true);
}, 180_000);

describe('the alerts', () => {
  test('are those of the tables, about the jobs of the release and in its namespace', () => {
    const rules = rulesIn(rendered);
    expect(rules.map(({ alert }) => alert)).toEqual(
      Object.values(alerts)
        .flat()
        .map(({ name }) => name),
    );
    const jobs = rules.flatMap(({ expr }) => [...expr.matchAll(/job="([^"]*)"/g)].map(([, job]) => job));
    expect([...new Set(jobs)].sort()).toEqual(['west-drover-controller', 'west-drover-webhook']);
    expect(JSON.stringify(rules)).not.toContain('drover-system');
  });

  // hack/decisions/0051 U6
  test('name the objects of the release, where those are', async () => {
    const set = { 'controller.settings.leaderElectNamespace': 'leases' };
    const objects = await west(set);
    const texts = JSON.stringify(rulesIn(objects));
    const [, name = ''] =
      /kubectl delete validatingwebhookconfiguration,mutatingwebhookconfiguration ([^` ]+)/.exec(texts) ?? [];
    for (const kind of ['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration']) only(objects, kind, name);
    expect(texts.match(/kubectl -n \S+ get leases/g)).toEqual(['kubectl -n leases get leases']);
  });

  test('of a program that is not installed are left out', async () => {
    const rules = rulesIn(await west({ 'webhook.enabled': false }));
    expect(rules.filter(({ expr }) => expr.includes('webhook'))).toEqual([]);
    expect(rules.length).toBeGreaterThan(10);
  });
});

test('objects carry the labels by which Prometheus and Grafana find them', async () => {
  const labels = { prometheus: 'main' };
  const set = { 'monitoring.serviceMonitor.labels': labels, 'monitoring.prometheusRule.labels': labels };
  const objects = await west(set);
  const labelled = objects.filter(({ metadata }) => metadata.labels?.['prometheus'] === 'main');
  expect(labelled.map(({ kind }) => kind).sort()).toEqual(['PrometheusRule', 'ServiceMonitor', 'ServiceMonitor']);
  expect(only(objects, 'ConfigMap', 'west-drover-dashboard').metadata.labels).toMatchObject({ grafana_dashboard: '1' });
});

test('the dashboard is a document that Grafana can read', () => {
  const { data } = only<KubeObject & { data: Record<string, string> }>(rendered, 'ConfigMap', 'west-drover-dashboard');
  expect(JSON.parse(data['drover.json'] ?? '')).toEqual(JSON.parse(JSON.stringify(dashboard())));
});
