import type { Clock } from './clock.ts';
import type { Connection } from './connection.ts';
import { unlessAborted } from './deadline.ts';
import { type ProxyOf, viaOf } from './proxies.ts';
import { complaintOf, literalOf, type Trust } from './serverrules.ts';

/** Finds the addresses of a name, at least one; rejects when there is none. */
export type Resolve = (name: string) => Promise<readonly string[]>;

/** What connections to servers that somebody else named are judged by. */
export interface Judging {
  trust: Trust;
  resolve: Resolve;
  /** Proxies that the operator set for the process: not judged, and picked by the name, not by the address that is called. */
  proxies: ProxyOf;
  clock: Clock;
}

/** For how long the addresses of a name are used, milliseconds. */
const FRESH_MS = 10_000;

/** A server, or a proxy, has an address at which nobody may be called. */
export class AddressRefused extends Error {
  readonly code = 'ERR_ADDRESS_REFUSED';

  /** @param whose host as its URL names it */
  constructor(whose: string, address: string, is: string) {
    const what = whose === address ? `${address} is ${is}` : `${whose} has the address ${address}, which is ${is}`;
    super(`${what}: no Cluster may lead there unless --cluster-server-allow says so`);
    this.name = 'AddressRefused';
  }
}

/**
 * Sends requests as `fetch` does, but to judged addresses only. A name is resolved here, each of its addresses is judged, and the
 * connection goes to one of them, so that no second answer of DNS leads elsewhere (DNS rebinding); server name of TLS and
 * header Host stay those of the name. Names that the operator lists go their ordinary way. Those below a listed suffix, which
 * others choose, are resolved here too, but not judged (hack/decisions/0028 T17). With a proxy of the kubeconfig that is whom the connection goes to, always, and the proxy resolves the server's name. Rejects with AddressRefused, or as
 * `fetch` does.
 */
export function judgedSend(judging: Judging, proxy?: string): NonNullable<Connection['send']> {
  const addresses = new Addresses(judging);
  return async (url, request) => {
    const to = new URL(proxy ?? url);
    const host = to.hostname;
    const around = proxy === undefined ? viaOf(judging.proxies(to)) : undefined;
    const address = await addresses.of(to, { isProxied: Boolean(around), signal: request.signal ?? undefined });
    if (address !== undefined) to.hostname = address.includes(':') ? `[${address}]` : address;
    try {
      if (around === undefined) return await fetch(url, { ...request, proxy: viaOf(to.href) });
      const sent = address === undefined ? request : named(request, new URL(url), host);
      return await fetch(to, { ...sent, proxy: around });
    } catch (error) {
      addresses.forget(host);
      throw error;
    }
  };
}

/** The request to an address, for the server that the URL names. */
function named({ headers, tls, ...request }: BunFetchRequestInit, { host }: URL, name: string): BunFetchRequestInit {
  return { ...request, headers: { ...(headers as Record<string, string>), host }, tls: { serverName: name, ...tls } };
}

/** How a call is made. */
interface Calling {
  /** A proxy of the environment resolves the name, unless we have to judge it. */
  isProxied: boolean;
  signal: AbortSignal | undefined;
}

/** Judged addresses of names. */
class Addresses {
  readonly #judging: Judging;
  readonly #known = new Map<string, { addresses: readonly string[]; at: number }>();
  /** Connections that failed: each takes the next address. */
  #failures = 0;

  constructor(judging: Judging) {
    this.#judging = judging;
  }

  /** Where to connect to instead of the URL's host; undefined for the host itself. */
  async of({ hostname }: URL, { isProxied, signal }: Calling): Promise<string | undefined> {
    const { trust } = this.#judging;
    const literal = literalOf(hostname);
    if (literal !== undefined) {
      refuse(literal, [literal], trust);
      return undefined;
    }
    if (trust.listsName(hostname) || (isProxied && trust.hasName(hostname))) return undefined;
    const addresses = await this.#resolved(hostname, signal);
    return addresses[this.#failures % addresses.length];
  }

  forget(name: string): void {
    this.#failures += 1;
    this.#known.delete(name);
  }

  /** Of several addresses none may be a refused one: the name is somebody's trick. */
  async #resolved(name: string, signal: AbortSignal | undefined): Promise<readonly string[]> {
    const { clock, resolve, trust } = this.#judging;
    const known = this.#known.get(name);
    if (known && clock.monotonic() - known.at < FRESH_MS) return known.addresses;
    const found = resolve(name);
    const addresses = await (signal ? unlessAborted(found, signal) : found);
    if (!trust.hasName(name)) refuse(name, addresses, trust);
    this.#known.set(name, { addresses, at: clock.monotonic() });
    return addresses;
  }
}

function refuse(whose: string, addresses: readonly string[], trust: Trust): void {
  for (const address of addresses) {
    const complaint = complaintOf(address, trust);
    if (complaint !== undefined) throw new AddressRefused(whose, address, complaint);
  }
}
