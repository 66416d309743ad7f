import { describe, expect, test } from 'bun:test';
import { only, render, type Values } from './helm.ts';
import {
  type Connection,
  type End,
  isAllowed,
  type NetworkPolicy,
  networkPoliciesIn,
  picks,
} from './networkpolicies.ts';
import { type Deployment, deploymentsIn } from './scenarios.ts';

/**
 * Whom the chart's policies let speak to whom, judged as a network would: `test/e2e/cases/networkpolicy.ts` shows the same where
 * a cluster's network enforces policies.
 */

const outside = (address: string): End => ({ address });
const podIn = (namespace: string): End => ({
  address: '10.1.0.9',
  pod: { namespace, labels: { app: 'client' }, ports: {} },
});

const apiServer = outside('10.0.0.2');
const otherApiServer = outside('203.0.113.5');
const dns: End = { ...podIn('kube-system'), address: '10.1.0.10' };
const cloud = outside('192.0.2.7');
const stranger = podIn('shop');
const neighbour = podIn('drover-system');
const prometheus = podIn('monitoring');

/** A pod of a program of the release. */
async function program(name: string, set: Values, release = 'drover'): Promise<End> {
  const { metadata, spec } = only<Deployment>(await render({ set, release }), 'Deployment', `${release}-${name}`);
  const ports = spec.template.spec.containers.flatMap((one) => ('ports' in one ? (one.ports as ContainerPort[]) : []));
  return {
    address: '10.1.0.5',
    pod: {
      namespace: metadata.namespace ?? '',
      labels: spec.template.metadata.labels,
      ports: Object.fromEntries(ports.map((port) => [port.name, port.containerPort])),
    },
  };
}

interface ContainerPort {
  name: string;
  containerPort: number;
}

const ENABLED = { 'networkPolicy.enabled': true };
const NOBODY = { 'networkPolicy.metricsFrom': [{ podSelector: { matchLabels: { app: 'none' } } }] };
const MONITORING = {
  'networkPolicy.metricsFrom': [
    { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } },
  ],
};
const CIDRS = { 'networkPolicy.apiServerCidrs': ['10.0.0.0/28', 'fd00::/64'] };
const CLOUD = {
  'networkPolicy.controllerEgress': [{ to: [{ ipBlock: { cidr: '192.0.2.0/24' } }], ports: [{ port: 8443 }] }],
};
const PORTS = { 'networkPolicy.apiServerPorts': [8443] };

interface Ends {
  webhook: End;
  controller: End;
}

type Row = [title: string, set: Values, (ends: Ends) => Connection, allowed: boolean];

const portOf = ({ pod }: End, name: string): number => pod?.ports[name] ?? 0;
const askWebhook = (from: End) => (ends: Ends) => ({ from, to: ends.webhook, port: portOf(ends.webhook, 'webhook') });
const readMetrics = (from: End) => (ends: Ends) => ({
  from,
  to: ends.controller,
  port: portOf(ends.controller, 'metrics'),
});
const calls = (name: keyof Ends, to: End, door: Pick<Connection, 'port' | 'protocol'>) => (ends: Ends) => ({
  from: ends[name],
  to,
  ...door,
});

async function judge(set: Values, connect: (ends: Ends) => Connection): Promise<boolean> {
  const values = { ...ENABLED, ...set };
  const ends = { webhook: await program('webhook', values), controller: await program('controller', values) };
  return isAllowed(networkPoliciesIn(await render({ set: values })), connect(ends));
}

const work: Row[] = (['controller', 'webhook'] as const).flatMap((name): Row[] => [
  [`the ${name} asks for names`, {}, calls(name, dns, { port: 53, protocol: 'UDP' }), true],
  [`the ${name} asks for long names`, {}, calls(name, dns, { port: 53 }), true],
  [`the ${name} calls the API server by its Service`, {}, calls(name, apiServer, { port: 443 }), true],
  [`the ${name} calls an API server by its own port`, {}, calls(name, otherApiServer, { port: 6443 }), true],
  [`the ${name} calls an API server by another port`, {}, calls(name, apiServer, { port: 8443 }), false],
  [`the ${name} calls an API server by a port that is said`, PORTS, calls(name, apiServer, { port: 8443 }), true],
  [`the ${name} calls what is nobody's business`, {}, calls(name, stranger, { port: 8080 }), false],
]);

test.each<Row>([
  ...work,
  ['the API server asks the webhook', {}, askWebhook(apiServer), true],
  ['an API server whose address is said asks the webhook', CIDRS, askWebhook(apiServer), true],
  ['an API server of IPv6 whose address is said asks the webhook', CIDRS, askWebhook(outside('fd00::7')), true],
  ['an address that is not said asks the webhook', CIDRS, askWebhook(otherApiServer), false],
  ['a pod asks the webhook where addresses are said', CIDRS, askWebhook(stranger), false],
  ['who may read metrics reads those of the webhook', { ...CIDRS, ...MONITORING }, askWebhook(prometheus), true],
  ['anybody reads the metrics of the controller where nobody is said', {}, readMetrics(stranger), true],
  ['a stranger reads the metrics of the controller', NOBODY, readMetrics(stranger), false],
  ['a pod beside it reads the metrics of the controller', NOBODY, readMetrics(neighbour), false],
  ['an address outside reads the metrics of the controller', NOBODY, readMetrics(otherApiServer), false],
  ['who may read them reads the metrics of the controller', MONITORING, readMetrics(prometheus), true],
  ['who may not reads the metrics of the controller', MONITORING, readMetrics(stranger), false],
  [
    'a pod calls another port of the controller',
    {},
    ({ controller }) => ({ from: stranger, to: controller, port: 8080 }),
    false,
  ],
  [
    'a pod calls another port of the webhook',
    {},
    ({ webhook }) => ({ from: stranger, to: webhook, port: 8080 }),
    false,
  ],
  ['the controller calls the cloud of its driver', CLOUD, calls('controller', cloud, { port: 8443 }), true],
  ['the controller calls another port of that cloud', CLOUD, calls('controller', cloud, { port: 22 }), false],
  ['the controller calls such a port elsewhere', CLOUD, calls('controller', stranger, { port: 8443 }), false],
  ['the webhook calls the cloud of a driver', CLOUD, calls('webhook', cloud, { port: 8443 }), false],
])('%s', async (_title, set, connect, allowed) => {
  expect(await judge(set, connect)).toBe(allowed);
});

describe('a policy', () => {
  const policiesOf = async (): Promise<NetworkPolicy[]> => networkPoliciesIn(await render({ set: ENABLED }));

  test('is there for each program, in both directions, and picks its pods alone', async () => {
    const policies = await policiesOf();
    const deployments = deploymentsIn(await render({ set: ENABLED }));
    const names = deployments.map(({ metadata }) => metadata.name.replace('drover-', ''));
    expect(names.toSorted()).toEqual(['controller', 'webhook']);
    for (const name of names) {
      const pod = await program(name, ENABLED);
      const picking = policies.filter((policy) => picks(policy, pod));
      expect(picking.map(({ metadata }) => metadata.name)).toEqual([`drover-${name}`]);
      expect(picking.map(({ spec }) => spec.policyTypes)).toEqual([['Ingress', 'Egress']]);
    }
  });

  test('leaves pods of others and of other releases alone', async () => {
    const others = [
      neighbour,
      stranger,
      await program('controller', {}, 'drover-west'),
      await program('webhook', {}, 'drover-west'),
    ];
    const policies = await policiesOf();
    expect(others.filter((end) => policies.some((policy) => picks(policy, end)))).toEqual([]);
  });

  test('is not there unless it is asked for', async () => {
    expect(networkPoliciesIn(await render())).toEqual([]);
  });
});
