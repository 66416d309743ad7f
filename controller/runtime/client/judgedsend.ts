import { literalOf } from '../dns/embedded.ts';
import { JudgedNames, type NameJudging, refuse } from '../dns/judgednames.ts';
import type { Connection } from './connection.ts';
import { ApiError } from './errors.ts';
import { type ProxyOf, viaOf } from './proxies.ts';

/** What connections to servers that somebody else named are judged by. */
export interface Judging extends NameJudging {
  /** Proxies that the operator set for the process: not judged, and picked by the name, not by the address that is called. */
  proxies: ProxyOf;
}

/**
 * Sends requests as `fetch` does, but to judged addresses only. A name is resolved here, each of its addresses is judged, and the
 * connection goes to one of them, so that no second answer of DNS leads elsewhere (DNS rebinding); server name of TLS and
 * header Host stay those of the name. Names that the operator lists go their ordinary way. Those below a listed suffix, which
 * others choose, are resolved here too, but not judged (hack/decisions/0028 T17). With a proxy of the kubeconfig that is whom the connection goes to, always, and the proxy resolves the server's name. Rejects with AddressRefused, or as
 * `fetch` does.
 */
export function judgedSend(judging: Judging, proxy?: string): NonNullable<Connection['send']> {
  const ways = new Ways(judging);
  return async (url, request) => {
    const to = new URL(proxy ?? url);
    const host = to.hostname;
    const around = proxy === undefined ? viaOf(judging.proxies(to)) : undefined;
    const signal = request.signal ?? undefined;
    const address = await ways.to(to, { isProxied: Boolean(around), signal });
    if (address !== undefined) to.hostname = address.includes(':') ? `[${address}]` : address;
    try {
      const sent = address === undefined ? request : named(request, new URL(url), host);
      const answer = await (around === undefined
        ? fetch(url, { ...request, proxy: viaOf(to.href) })
        : fetch(to, { ...sent, proxy: around }));
      ways.ended(host, address, 'answered');
      return answer;
    } catch (error) {
      if (isOfServer(signal)) ways.ended(host, address, 'failed');
      throw error;
    }
  };
}

/** Whether a call that failed says something of the server: not when its caller gave it up, unless for lack of an answer. */
const isOfServer = (signal: AbortSignal | undefined): boolean =>
  !signal?.aborted || (signal.reason instanceof ApiError && signal.reason.reason === 'DeadlineExceeded');

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

/** Where connections go to. */
class Ways {
  readonly #judging: Judging;
  readonly #names: JudgedNames;

  constructor(judging: Judging) {
    this.#judging = judging;
    this.#names = new JudgedNames(judging);
  }

  /** Where to connect to instead of the URL's host; undefined for the host itself. */
  async to({ hostname }: URL, { isProxied, signal }: Calling): Promise<string | undefined> {
    const { trust } = this.#judging;
    const literal = literalOf(hostname);
    if (literal !== undefined) {
      refuse(literal, [literal], trust);
      return undefined;
    }
    if (trust.listsName(hostname) || (isProxied && trust.hasName(hostname))) return undefined;
    return this.#names.addressOf(hostname, signal);
  }

  /** A connection was made to an address of a name, or could not be. */
  ended(name: string, address: string | undefined, did: 'answered' | 'failed'): void {
    if (address !== undefined) this.#names.ended(name, address, did);
  }
}
