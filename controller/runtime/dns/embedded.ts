import { isIP } from 'node:net';

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
