import type { NetworkInterfaceInfo } from 'node:os';

/** What is known of a machine's addresses, by the name of the interface: what `networkInterfaces()` of node:os gives. */
type Interfaces = Readonly<Record<string, ReadonlyArray<Pick<NetworkInterfaceInfo, 'family'>> | undefined>>;

/**
 * The address to listen on for all of a machine's: `::` takes IPv4 as well, but cannot be had where the kernel has no IPv6,
 * and `0.0.0.0` takes no IPv6, which is all that a pod of an IPv6 cluster has.
 */
export const everyAddress = (interfaces: Interfaces): '::' | '0.0.0.0' =>
  Object.values(interfaces).some((all = []) => all.some(({ family }) => family === 'IPv6')) ? '::' : '0.0.0.0';
