import { BlockList, isIP } from 'node:net';
import { refusedNetworks } from '../../../schemas/refusednetworks.ts';

/** Prefixes of IPv6 addresses that stand for an IPv4 address, and the group at which that begins. */
const PREFIXES: ReadonlyArray<[prefix: readonly number[], at: number]> = [
  // Mapped, and translated (RFC 4291, 2.5.5.2; RFC 2765).
  [[0, 0, 0, 0, 0, 0xffff], 6],
  [[0, 0, 0, 0, 0xffff, 0], 6],
  // Compatible (RFC 4291, 2.5.5.1).
  [[0, 0, 0, 0, 0, 0], 6],
  // NAT64 (RFC 6052) and 6to4 (RFC 3056).
  [[0x64, 0xff9b, 0, 0, 0, 0], 6],
  [[0x2002], 1],
];

/** The IPv4 address that an IPv6 address stands for; undefined for one that stands for itself. */
export function embeddedAddress(address: string): string | undefined {
  if (isIP(address) !== 6) return undefined;
  const groups = groupsOf(address.split('%', 1)[0] ?? '');
  const found = PREFIXES.find(([prefix]) => prefix.every((group, index) => groups[index] === group));
  if (!found) return undefined;
  const [high = 0, low = 0] = groups.slice(found[1]);
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.');
}

/** The eight groups of an IPv6 address. */
function groupsOf(address: string): number[] {
  // A URL has them in one spelling, without dotted parts.
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = '', tail] = canonical.split('::');
  const [first, last] = [head, tail ?? ''].map((part) => part.split(':').filter((group) => group !== ''));
  const [before = [], after = []] = [first, last];
  const zeros = tail === undefined ? 0 : 8 - before.length - after.length;
  return [...before, ...Array<string>(zeros).fill('0'), ...after].map((group) => Number.parseInt(group, 16));
}

/** Servers that the operator vouches for. */
export interface Trust {
  /** A name as it stands in a URL. */
  hasName(name: string): boolean;
  /** Such a name, itself and not by a suffix: nobody but the operator chose it. */
  listsName(name: string): boolean;
  /** An address, without brackets. */
  hasAddress(address: string): boolean;
}

const refused = refusedNetworks.map(({ one, networks }) => ({ says: one, list: blockListOf(networks) }));

/** The trust in these addresses, networks (CIDR), names, and suffixes of names that begin with a dot; all in small letters. */
export function trustIn(servers: readonly string[]): Trust {
  const addresses = blockListOf(servers.filter((one) => isIP(one.split('/')[0] ?? '') !== 0));
  return {
    hasName: (name) => {
      const bare = name.replace(/\.$/, '');
      return servers.some((one) => (one.startsWith('.') ? bare.endsWith(one) : bare === one));
    },
    listsName: (name) => !name.startsWith('.') && servers.includes(name.replace(/\.$/, '')),
    hasAddress: (address) => holds(addresses, address),
  };
}

/** What makes an address one that is not connected to, as `a loopback address`; undefined for any other. */
export function complaintOf(address: string, trust: Trust): string | undefined {
  if (trust.hasAddress(address)) return undefined;
  const inside = embeddedAddress(address);
  return refused.find(({ list }) => holds(list, address) || (inside !== undefined && holds(list, inside)))?.says;
}

/** A host as it stands in a URL, as an address without brackets; undefined for a name. */
export function literalOf(host: string): string | undefined {
  const bare = host.replace(/^\[|\]$/g, '');
  return isIP(bare) === 0 ? undefined : bare;
}

function blockListOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', length] = network.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (length === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(length), family);
  }
  return list;
}

const holds = (list: BlockList, address: string): boolean =>
  list.check(address.split('%', 1)[0] ?? '', isIP(address) === 6 ? 'ipv6' : 'ipv4');
