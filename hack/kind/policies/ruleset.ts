import type { KubeObject } from '../../../controller/runtime/k8s/object.ts';
import { matches } from '../../../schemas/selector.ts';
import type { Direction, NetworkPod, NetworkPolicy, Peer, Port } from './objects.ts';

/** All that decides who may connect to whom. */
export interface World {
  namespaces: readonly KubeObject[];
  pods: readonly NetworkPod[];
  policies: readonly NetworkPolicy[];
}

/** What a policy allows in one direction. */
interface Rule {
  peers?: Peer[] | undefined;
  ports?: Port[] | undefined;
}

/** A chain of nft, and which connections it judges. */
interface Chain {
  name: string;
  /** Conditions, each of which leads into the chain. */
  entries: string[];
  rules: string[];
}

const TABLE = 'inet network-policies';
const DIRECTIONS: readonly Direction[] = ['Ingress', 'Egress'];

/**
 * The NetworkPolicies of a cluster as rules of nft, the same for each node: whoever connects to or from a pod that policies
 * pick must be allowed by one of them in that direction. A node reaches its own pods in any case.
 */
export function rulesetOf(world: World): string {
  const chains = DIRECTIONS.flatMap((direction) => chainsOf(world, direction));
  const jumps = chains.flatMap(({ name, entries }) => entries.map((entry) => `${entry} jump ${name}`));
  const forward = [
    'type filter hook forward priority filter; policy accept;',
    'ct state established,related accept',
    ...jumps,
  ];
  const blocks = [...chains.map(({ name, rules }) => block(name, [...rules, 'reject'])), block('forward', forward)];
  return `table ${TABLE}\ndelete table ${TABLE}\ntable ${TABLE} {\n${blocks.join('')}}\n`;
}

const block = (name: string, lines: readonly string[]): string =>
  `  chain ${name} {\n${lines.map((line) => `    ${line}\n`).join('')}  }\n`;

function chainsOf(world: World, direction: Direction): Chain[] {
  return world.pods.filter(isJudged).flatMap((pod, index) => {
    const policies = world.policies.filter((policy) => picks(policy, pod, direction));
    if (policies.length === 0) return [];
    const rules = policies.flatMap((policy) =>
      rulesIn(policy, direction).flatMap((rule) => new Allowance({ world, pod, policy, direction }).linesOf(rule)),
    );
    const entries = addressesOf(pod).map(
      (ip) => `${familyOf(ip)} ${direction === 'Ingress' ? 'daddr' : 'saddr'} ${ip}`,
    );
    return [{ name: `${direction.toLowerCase()}-${index}`, entries, rules }];
  });
}

/** A pod with the network of its node is that node; one that has ended gave its addresses back. */
const isJudged = ({ spec, status }: NetworkPod): boolean =>
  !spec?.hostNetwork && status?.phase !== 'Succeeded' && status?.phase !== 'Failed';

function picks({ metadata, spec }: NetworkPolicy, pod: NetworkPod, direction: Direction): boolean {
  const types = spec?.policyTypes ?? (spec?.egress ? DIRECTIONS : (['Ingress'] as const));
  const inside = metadata.namespace === pod.metadata.namespace;
  return inside && types.includes(direction) && matches(spec?.podSelector ?? {}, pod.metadata.labels);
}

const rulesIn = ({ spec }: NetworkPolicy, direction: Direction): Rule[] =>
  direction === 'Ingress'
    ? (spec?.ingress ?? []).map(({ from, ports }) => ({ peers: from, ports }))
    : (spec?.egress ?? []).map(({ to, ports }) => ({ peers: to, ports }));

const addressesOf = ({ status }: NetworkPod): string[] => (status?.podIPs ?? []).map(({ ip }) => ip);

/** As nft names the family of an address or a range of them. */
const familyOf = (address: string): 'ip' | 'ip6' => (address.includes(':') ? 'ip6' : 'ip');

interface AllowanceParts {
  world: World;
  pod: NetworkPod;
  policy: NetworkPolicy;
  direction: Direction;
}

/** What rules of one policy allow one pod. */
class Allowance {
  readonly #parts: AllowanceParts;
  /** Which address of a packet is the peer's. */
  readonly #side: 'saddr' | 'daddr';

  constructor(parts: AllowanceParts) {
    this.#parts = parts;
    this.#side = parts.direction === 'Ingress' ? 'saddr' : 'daddr';
  }

  linesOf({ peers, ports }: Rule): string[] {
    const everybody = !peers || peers.length === 0;
    const sources = everybody ? [''] : peers.flatMap((peer) => this.#addressed(peer));
    const conditions = !ports || ports.length === 0 ? [''] : ports.flatMap((port) => this.#numbered(port));
    const crossed = sources.flatMap((source) => conditions.map((condition) => [source, condition]));
    const named = this.#parts.direction === 'Egress' ? this.#namedAtPeers(peers, ports) : [];
    return [...crossed, ...named].map((words) => [...words, 'return'].filter(Boolean).join(' '));
  }

  #addressed(peer: Peer): string[] {
    if (!peer.ipBlock)
      return this.#pickedBy(peer)
        .flatMap(addressesOf)
        .map((ip) => this.#at(ip));
    const { cidr, except = [] } = peer.ipBlock;
    const outside = except.length > 0 ? ` ${familyOf(cidr)} ${this.#side} != { ${except.join(', ')} }` : '';
    return [`${this.#at(cidr)}${outside}`];
  }

  #at(address: string): string {
    return `${familyOf(address)} ${this.#side} ${address}`;
  }

  #pickedBy({ podSelector, namespaceSelector }: Peer): NetworkPod[] {
    const { world, policy } = this.#parts;
    const inNamespace = (pod: NetworkPod) => {
      if (!namespaceSelector) return pod.metadata.namespace === policy.metadata.namespace;
      const namespace = world.namespaces.find(({ metadata }) => metadata.name === pod.metadata.namespace);
      return namespace !== undefined && matches(namespaceSelector, namespace.metadata.labels);
    };
    return world.pods.filter(
      (pod) => isJudged(pod) && inNamespace(pod) && matches(podSelector ?? {}, pod.metadata.labels),
    );
  }

  /** Ports by number, and those of the pod's own containers by name. */
  #numbered({ protocol = 'TCP', port, endPort }: Port): string[] {
    const word = protocol.toLowerCase();
    if (port === undefined) return [`meta l4proto ${word}`];
    if (typeof port === 'number') return [`${word} dport ${port}${endPort ? `-${endPort}` : ''}`];
    return this.#parts.direction === 'Ingress' ? portsNamed(port, this.#parts.pod, protocol) : [];
  }

  /** A name means what the pod at the other end calls so, and nothing at other addresses. */
  #namedAtPeers(peers: Peer[] | undefined, ports: Port[] = []): string[][] {
    const pods = peers?.length
      ? peers.flatMap((peer) => (peer.ipBlock ? [] : this.#pickedBy(peer)))
      : this.#parts.world.pods;
    return ports.flatMap(({ port, protocol = 'TCP' }) => {
      if (typeof port !== 'string') return [];
      return pods
        .filter(isJudged)
        .flatMap((pod) =>
          addressesOf(pod).flatMap((ip) =>
            portsNamed(port, pod, protocol).map((condition) => [this.#at(ip), condition]),
          ),
        );
    });
  }
}

function portsNamed(name: string, { spec }: NetworkPod, protocol: string): string[] {
  const ports = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].flatMap(
    (container) => container.ports ?? [],
  );
  return ports
    .filter((port) => port.name === name && (port.protocol ?? 'TCP') === protocol)
    .map(({ containerPort }) => `${protocol.toLowerCase()} dport ${containerPort}`);
}
