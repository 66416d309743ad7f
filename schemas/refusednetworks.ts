/** A kind of address at which no server may be, unless the operator vouches for it (hack/decisions/0033). */
export interface RefusedNetwork {
  /** One such address, as a complaint names it. */
  one: string;
  /** All of them, as texts for users name them. */
  all: string;
  /** In CIDR form. */
  networks: readonly string[];
}

/** Networks that lead back to where the controller runs, to its Node, or to the cloud's own services; never to a cluster's API server. */
export const refusedNetworks: readonly RefusedNetwork[] = [
  { one: 'a loopback address', all: 'loopback addresses', networks: ['127.0.0.0/8', '::1/128'] },
  { one: 'a link-local address', all: 'link-local addresses', networks: ['169.254.0.0/16', 'fe80::/10'] },
  { one: 'a site-local address', all: 'site-local addresses', networks: ['fec0::/10'] },
  {
    // Local-use NAT64 (RFC 8215) and Teredo (RFC 4380): where the IPv4 address lies in them cannot be told.
    one: 'a translated address',
    all: 'addresses translated by local NAT64 or Teredo',
    networks: ['64:ff9b:1::/48', '2001::/32'],
  },
  {
    one: 'no address of a host',
    all: 'unspecified, multicast and broadcast addresses',
    networks: ['0.0.0.0/8', '::/128', '224.0.0.0/4', 'ff00::/8', '255.255.255.255/32'],
  },
  {
    // AWS and Google by IPv6, Alibaba, Azure, Oracle.
    one: "the address of a cloud's metadata service",
    all: "addresses of clouds' metadata services",
    networks: ['fd00:ec2::/32', 'fd20:ce::254/128', '100.100.100.200/32', '168.63.129.16/32', '192.0.0.192/32'],
  },
];

/** The kinds of refused addresses, for the middle of a sentence. */
export const refusedAddresses = refusedNetworks.map(({ all }) => all).join(', ');
