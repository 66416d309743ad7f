import { isIP } from 'node:net';

/** Addresses by name, in small letters, in the order of the file. */
export type Hosts = ReadonlyMap<string, readonly string[]>;

/**
 * What a hosts file says (hosts(5)): an address in each line, then its name and aliases of it, up to a `#`. A name may stand in several
 * lines. Addresses of one interface alone (`fe80::1%eth0`) are left out, for no URL can have them.
 */
export function hostsIn(text: string): Hosts {
  const hosts = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    const [address = '', ...names] = wordsOf(line);
    if (isIP(address) === 0 || address.includes('%')) continue;
    for (const name of names) {
      const known = hosts.get(name) ?? [];
      hosts.set(name, known.includes(address) ? known : [...known, address]);
    }
  }
  return hosts;
}

const wordsOf = (line: string): string[] =>
  (line.split('#', 1)[0] ?? '')
    .toLowerCase()
    .split(/\s/)
    .filter((word) => word !== '');
