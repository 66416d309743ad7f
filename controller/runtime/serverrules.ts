import { BlockList, isIP } from 'node:net';
import { embeddedAddress } from './embedded.ts';

/** Servers that the operator vouches for. */
export interface Trust {
  /** A name as it stands in a URL. */
  hasName(name: string): boolean;
  /** An address, without brackets. */
  hasAddress(address: string): boolean;
}

/** Networks that lead back to where the controller runs, to its Node, or to the cloud's own services; never to a cluster's API server. */
const REFUSED: ReadonlyArray<[says: string, networks: readonly string[]]> = [
  ['a loopback address', ['127.0.0.0/8', '::1/128']],
  ['a link-local address', ['169.254.0.0/16', 'fe80::/10']],
  ['a site-local address', ['fec0::/10']],
  // Local-use NAT64 (RFC 8215) and Teredo (RFC 4380): where the IPv4 address lies in them nobody here can tell.
  ['a translated address', ['64:ff9b:1::/48', '2001::/32']],
  ['no address of a host', ['0.0.0.0/8', '::/128', '224.0.0.0/4', 'ff00::/8', '255.255.255.255/32']],
  [
    // AWS and Google by IPv6, Alibaba, Azure, Oracle.
    "the address of a cloud's metadata service",
    ['fd00:ec2::/32', 'fd20:ce::254/128', '100.100.100.200/32', '168.63.129.16/32', '192.0.0.192/32'],
  ],
];

const refused = REFUSED.map(([says, networks]) => ({ says, list: blockListOf(networks) }));

/** The trust in these addresses, networks (CIDR), names, and suffixes of names that begin with a dot; all in small letters. */
export function trustIn(servers: readonly string[]): Trust {
  const addresses = blockListOf(servers.filter((one) => isIP(one.split('/')[0] ?? '') !== 0));
  return {
    hasName: (name) => {
      const bare = name.replace(/\.$/, '');
      return servers.some((one) => (one.startsWith('.') ? bare.endsWith(one) : bare === one));
    },
    hasAddress: (address) => holds(addresses, address),
  };
}

/** What an address is at which nobody may be called, as `a loopback address`; undefined when somebody may. */
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
