import { BlockList, isIP } from 'node:net';
import { refusedNetworks } from '../../../schemas/refusednetworks.ts';
import { embeddedAddress } from './embedded.ts';

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
