import { BlockList, isIP } from 'node:net';
import { complaintOf, literalOf, trustIn } from '../dns/embedded.ts';

/** The URL of the proxy that the environment asks for, for a URL; undefined when the server is called directly. */
export type ProxyOf = (url: URL) => string | undefined;

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Reads `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY` as Go does (golang.org/x/net/http/httpproxy), so that a URL may be
 * judged by the name that people wrote though the connection goes to an address. Of two spellings that in small letters wins, as
 * with curl and Bun.
 */
export function environmentProxies(env: Env): ProxyOf {
  const textOf = (name: string) => env[name.toLowerCase()]?.trim() || env[name]?.trim() || undefined;
  const all = textOf('ALL_PROXY');
  const proxies: Env = { 'https:': textOf('HTTPS_PROXY') ?? all, 'http:': textOf('HTTP_PROXY') ?? all };
  const exceptions = (textOf('NO_PROXY') ?? '').split(',').map(exceptionIn);
  return (url) => {
    const proxy = proxies[url.protocol];
    if (proxy === undefined) return undefined;
    const host = hostOf(url);
    if (isLocal(host.name) || exceptions.some((isMeant) => isMeant(host))) return undefined;
    return proxy.includes('://') ? proxy : `http://${proxy}`;
  };
}

/**
 * For `fetch`: by this proxy whatever NO_PROXY says, as client-go takes `proxy-url`, or by none whatever the environment says. Left
 * to itself Bun would apply the environment to the URL that it is given, and call directly whom nobody judged.
 */
export const viaOf = (proxy: string | undefined): Bun.FetchProxyOption =>
  proxy === undefined ? false : { url: proxy, respectNoProxy: false };

interface Host {
  /** In small letters, without brackets and without a dot at the end. */
  name: string;
  port: string;
}

type Exception = (host: Host) => boolean;

const DEFAULT_PORTS: Env = { 'https:': '443', 'http:': '80' };

const hostOf = ({ hostname, port, protocol }: URL): Host => ({
  name: (literalOf(hostname) ?? hostname).toLowerCase().replace(/\.$/, ''),
  port: port || DEFAULT_PORTS[protocol] || '',
});

const LOOPBACK = 'a loopback address';
const nobody = trustIn([]);

/** No proxy can reach what is local to us. */
const isLocal = (name: string): boolean =>
  name === 'localhost' || (isIP(name) !== 0 && complaintOf(name, nobody) === LOOPBACK);

/** An entry of NO_PROXY: `*`, an address, a network, a name with all below it, or `.name` for those below it alone; and a port. */
function exceptionIn(entry: string): Exception {
  const text = entry.trim().toLowerCase();
  if (text === '') return () => false;
  if (text === '*') return () => true;
  if (text.includes('/')) return networkIn(text);
  const { name, port } = partsOf(text);
  const isSame = isIP(name) !== 0 ? sameAddress(name) : sameName(name);
  return (host) => isSame(host.name) && (port === undefined || port === host.port);
}

function partsOf(text: string): { name: string; port?: string } {
  if (isIP(text) !== 0) return { name: text };
  const colon = text.lastIndexOf(':');
  const [name, port] = colon < 0 ? [text, undefined] : [text.slice(0, colon), text.slice(colon + 1)];
  return { name: literalOf(name) ?? name, ...(port !== undefined && { port }) };
}

function sameName(name: string): (host: string) => boolean {
  const bare = name.replace(/^\*/, '');
  if (bare.startsWith('.')) return (host) => host.endsWith(bare);
  return (host) => host === bare || host.endsWith(`.${bare}`);
}

const sameAddress = (address: string): ((host: string) => boolean) => within(address, isIP(address) === 6 ? 128 : 32);

/** What is no network means nobody. */
function networkIn(text: string): Exception {
  const [address = '', length = ''] = text.split('/');
  const bits = /^\d{1,3}$/.test(length) ? Number(length) : -1;
  if (isIP(address) === 0 || bits < 0 || bits > (isIP(address) === 6 ? 128 : 32)) return () => false;
  const isWithin = within(address, bits);
  return ({ name }) => isWithin(name);
}

function within(address: string, bits: number): (host: string) => boolean {
  const list = new BlockList();
  list.addSubnet(address, bits, familyOf(address));
  return (host) => isIP(host) !== 0 && list.check(host, familyOf(host));
}

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4');
