import { expect, test } from 'bun:test';
import type { NetworkPod, NetworkPolicy } from './objects.ts';
import { rulesetOf } from './ruleset.ts';

const namespaces = ['web', 'watch'].map((name) => ({ metadata: { name, labels: { name } } }));

const pod = (namespace: string, app: string, ip: string): NetworkPod => ({
  metadata: { namespace, name: app, labels: { app } },
  spec: { containers: [{ ports: [{ name: 'http', containerPort: 8080 }] }] },
  status: { phase: 'Running', podIPs: [{ ip }] },
});

const server = pod('web', 'server', '10.0.0.1');
const client = pod('web', 'client', '10.0.0.2');
const watcher = pod('watch', 'watcher', '10.0.1.3');
const pods = [server, client, watcher];

const policy = (spec: NetworkPolicy['spec']): NetworkPolicy => ({
  metadata: { namespace: 'web', name: 'policy' },
  spec: { podSelector: { matchLabels: { app: 'server' } }, ...spec },
});

/** The lines of a chain of the rules that one policy makes; undefined when there is no such chain. */
function chain(name: string, spec: NetworkPolicy['spec'], others = pods): string[] | undefined {
  const text = rulesetOf({ namespaces, pods: others, policies: [policy(spec)] });
  const body = new RegExp(`chain ${name} \\{\\n([^}]*(?:\\{[^}]*\\}[^}]*)*?)  \\}\\n`).exec(text)?.[1];
  return body
    ?.trimEnd()
    .split('\n')
    .map((line) => line.trim());
}

test('without policies everything passes', () => {
  expect(rulesetOf({ namespaces, pods, policies: [] })).toBe(`table inet network-policies
delete table inet network-policies
table inet network-policies {
  chain forward {
    type filter hook forward priority filter; policy accept;
    ct state established,related accept
  }
}
`);
});

test('a policy without rules lets nobody in, and judges no other pod', () => {
  expect(chain('forward', {})?.slice(2)).toEqual(['ip daddr 10.0.0.1 jump ingress-0']);
  expect(chain('ingress-0', {})).toEqual(['reject']);
});

test.each([
  ['anybody', {}, ['return']],
  [
    'pods of the namespace',
    { from: [{ podSelector: { matchLabels: { app: 'client' } } }] },
    ['ip saddr 10.0.0.2 return'],
  ],
  [
    'all pods of another namespace',
    { from: [{ namespaceSelector: { matchLabels: { name: 'watch' } } }] },
    ['ip saddr 10.0.1.3 return'],
  ],
  [
    'some pods of any namespace',
    {
      from: [
        {
          namespaceSelector: {},
          podSelector: { matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['server'] }] },
        },
      ],
    },
    ['ip saddr 10.0.0.2 return', 'ip saddr 10.0.1.3 return'],
  ],
  [
    'addresses',
    { from: [{ ipBlock: { cidr: '10.1.0.0/16', except: ['10.1.2.0/24'] } }] },
    ['ip saddr 10.1.0.0/16 ip saddr != { 10.1.2.0/24 } return'],
  ],
  ['addresses of IPv6', { from: [{ ipBlock: { cidr: 'fd00::/8' } }] }, ['ip6 saddr fd00::/8 return']],
  ['anybody at a port', { ports: [{ port: 443 }] }, ['tcp dport 443 return']],
  ['anybody at some ports', { ports: [{ port: 1, endPort: 9, protocol: 'UDP' }] }, ['udp dport 1-9 return']],
  ['anybody by a protocol', { ports: [{ protocol: 'UDP' }] }, ['meta l4proto udp return']],
  ['anybody at a port that its container names', { ports: [{ port: 'http' }] }, ['tcp dport 8080 return']],
  ['nobody at a name that it does not have', { ports: [{ port: 'metrics' }] }, []],
  ['nobody where no pod is picked', { from: [{ podSelector: { matchLabels: { app: 'none' } } }] }, []],
] as const)('it lets in %s', (_who, rule, lines) => {
  expect(chain('ingress-0', { ingress: [structuredClone(rule) as object] })).toEqual([...lines, 'reject']);
});

test('peers and ports must both fit', () => {
  const rule = { from: [{ podSelector: {} }], ports: [{ port: 80 }, { port: 443 }] };
  expect(chain('ingress-0', { ingress: [rule] })?.slice(2)).toEqual([
    'ip saddr 10.0.0.2 tcp dport 80 return',
    'ip saddr 10.0.0.2 tcp dport 443 return',
    'reject',
  ]);
});

test('connections out are judged when the policy says so', () => {
  const spec = {
    policyTypes: ['Egress' as const],
    egress: [{ to: [{ namespaceSelector: {} }], ports: [{ port: 53 }, { port: 'http' }] }],
  };
  expect(chain('ingress-0', spec)).toBeUndefined();
  expect(chain('forward', spec)?.slice(2)).toEqual(['ip saddr 10.0.0.1 jump egress-0']);
  expect(chain('egress-0', spec)).toEqual([
    'ip daddr 10.0.0.1 tcp dport 53 return',
    'ip daddr 10.0.0.2 tcp dport 53 return',
    'ip daddr 10.0.1.3 tcp dport 53 return',
    'ip daddr 10.0.0.1 tcp dport 8080 return',
    'ip daddr 10.0.0.2 tcp dport 8080 return',
    'ip daddr 10.0.1.3 tcp dport 8080 return',
    'reject',
  ]);
});

test('a pod that has ended or has the network of its node is not judged, and nobody’s peer', () => {
  const ended = { ...client, status: { ...client.status, phase: 'Succeeded' } };
  const onHost = { ...server, spec: { hostNetwork: true } };
  expect(chain('ingress-0', {}, [onHost])).toBeUndefined();
  expect(chain('ingress-0', { ingress: [{ from: [{ podSelector: {} }] }] }, [server, ended])).toEqual([
    'ip saddr 10.0.0.1 return',
    'reject',
  ]);
});

test('a pod with two addresses is judged by both', () => {
  const both = { ...server, status: { podIPs: [{ ip: '10.0.0.1' }, { ip: 'fd00::1' }] } };
  expect(chain('forward', {}, [both])?.slice(2)).toEqual([
    'ip daddr 10.0.0.1 jump ingress-0',
    'ip6 daddr fd00::1 jump ingress-0',
  ]);
});
