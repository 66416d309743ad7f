import { BlockList, isIPv4 } from 'node:net';
import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import { matches, type Selector } from '../../schemas/selector.ts';

/** One end of a connection: a pod, or an address that belongs to none, as that of an API server. */
export interface End {
  address: string;
  pod?: {
    namespace: string;
    labels: Readonly<Record<string, string>>;
    /** Numbers of its containers' ports by their names. */
    ports: Readonly<Record<string, number>>;
  };
}

/** Somebody who calls somebody. */
export interface Connection {
  from: End;
  to: End;
  port: number;
  /** TCP unless said. */
  protocol?: string;
}

/** networking.k8s.io/v1 NetworkPolicy: the parts that the chart uses. */
export interface NetworkPolicy extends KubeObject {
  spec: {
    podSelector: Selector;
    policyTypes: Direction[];
    ingress?: Array<{ from?: Peer[]; ports?: Port[] }>;
    egress?: Array<{ to?: Peer[]; ports?: Port[] }>;
  };
}

type Direction = 'Ingress' | 'Egress';

interface Peer {
  podSelector?: Selector;
  namespaceSelector?: Selector;
  ipBlock?: { cidr: string };
}

interface Port {
  protocol?: string;
  /** A number, or the name of a port of the pod that is called; all ports unless said. */
  port?: number | string;
}

interface Rule {
  peers: readonly Peer[];
  ports: readonly Port[];
}

/** The policies among objects. */
export const networkPoliciesIn = (objects: readonly KubeObject[]): NetworkPolicy[] =>
  objects.filter((one): one is NetworkPolicy => one.kind === 'NetworkPolicy');

/** Whether a policy says something about a pod. */
export const picks = ({ metadata, spec }: NetworkPolicy, { pod }: End): boolean =>
  pod !== undefined && pod.namespace === metadata.namespace && matches(spec.podSelector, pod.labels);

/**
 * Whether policies let a connection through: at each end that some of them pick in its direction, one of these must allow it. A
 * Node reaches its own pods in any case, so probes are no matter of policies.
 */
export function isAllowed(policies: readonly NetworkPolicy[], connection: Connection): boolean {
  const judged = (end: End, direction: Direction) =>
    policies.filter((policy) => policy.spec.policyTypes.includes(direction) && picks(policy, end));
  const into = judged(connection.to, 'Ingress');
  const outOf = judged(connection.from, 'Egress');
  return (
    (into.length === 0 || into.some((policy) => lets(policy, connection, 'Ingress'))) &&
    (outOf.length === 0 || outOf.some((policy) => lets(policy, connection, 'Egress')))
  );
}

function lets(policy: NetworkPolicy, connection: Connection, direction: Direction): boolean {
  const peer = direction === 'Ingress' ? connection.from : connection.to;
  return rulesOf(policy, direction).some(
    ({ peers, ports }) =>
      (peers.length === 0 || peers.some((one) => isPeer(one, peer, policy))) &&
      (ports.length === 0 || ports.some((one) => isPort(one, connection))),
  );
}

const rulesOf = ({ spec }: NetworkPolicy, direction: Direction): Rule[] =>
  direction === 'Ingress'
    ? (spec.ingress ?? []).map(({ from = [], ports = [] }) => ({ peers: from, ports }))
    : (spec.egress ?? []).map(({ to = [], ports = [] }) => ({ peers: to, ports }));

function isPeer({ ipBlock, namespaceSelector, podSelector }: Peer, { address, pod }: End, of: NetworkPolicy): boolean {
  if (ipBlock) return contains(ipBlock.cidr, address);
  if (!pod) return false;
  const inNamespace = namespaceSelector
    ? matches(namespaceSelector, { 'kubernetes.io/metadata.name': pod.namespace })
    : pod.namespace === of.metadata.namespace;
  return inNamespace && matches(podSelector ?? {}, pod.labels);
}

function contains(cidr: string, address: string): boolean {
  const [network = '', bits] = cidr.split('/');
  const list = new BlockList();
  list.addSubnet(network, Number(bits), isIPv4(network) ? 'ipv4' : 'ipv6');
  return list.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
}

function isPort({ port, protocol = 'TCP' }: Port, connection: Connection): boolean {
  if (protocol !== (connection.protocol ?? 'TCP')) return false;
  if (typeof port === 'string') return connection.to.pod?.ports[port] === connection.port;
  return port === undefined || port === connection.port;
}
