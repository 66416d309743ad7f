import type { Entry } from './file.ts';

/** What a key of a kubeconfig holds; `any` is read by somebody else, or by nobody. */
type Kind = 'text' | 'flag' | 'any';

type Fields<K extends Readonly<Record<string, Kind>>> = {
  [Key in keyof K]?: K[Key] extends 'text' ? string : K[Key] extends 'flag' ? boolean : unknown;
};

/** Keys of a context (client-go, tools/clientcmd/api/v1, Context). */
export const contextKeys = { cluster: 'text', user: 'text', namespace: 'text', extensions: 'any' } as const;

/** Keys of a cluster that need nothing beside the kubeconfig (Cluster); `disable-compression` is known, and changes nothing. */
export const clusterKeys = {
  server: 'text',
  'tls-server-name': 'text',
  'insecure-skip-tls-verify': 'flag',
  'certificate-authority-data': 'text',
  'proxy-url': 'text',
  'disable-compression': 'flag',
  extensions: 'any',
} as const;

/** Keys of a user that need nothing beside the kubeconfig (AuthInfo). */
export const userKeys = {
  token: 'text',
  'client-certificate-data': 'text',
  'client-key-data': 'text',
  username: 'text',
  password: 'text',
  extensions: 'any',
} as const;

/** Keys of a cluster that lead out of the kubeconfig. */
export const outerClusterKeys = { 'certificate-authority': 'text' } as const;

/** Keys of a user that lead out of the kubeconfig, or ask for what this client does not do. */
export const outerUserKeys = {
  tokenFile: 'text',
  'client-certificate': 'text',
  'client-key': 'text',
  exec: 'any',
  'auth-provider': 'any',
  as: 'text',
} as const;

/** The values of these keys, those of all others left out. Throws an Error that names a key whose value is of the wrong type. */
export function fieldsOf<const K extends Readonly<Record<string, Kind>>>({ path, keys }: Entry, kinds: K): Fields<K> {
  const found: Record<string, unknown> = {};
  for (const [key, kind] of Object.entries(kinds)) {
    const value = Object.hasOwn(keys, key) ? (keys[key] ?? undefined) : undefined;
    if (value === undefined || value === '') continue;
    if (kind === 'text' && typeof value !== 'string') throw new Error(`${path}.${key} is not text: put it in quotes`);
    if (kind === 'flag' && typeof value !== 'boolean') throw new Error(`${path}.${key} is neither true nor false`);
    found[key] = value;
  }
  return found as Fields<K>;
}

/** A PEM given in base64; undefined when it is not given. Throws an Error that names the field. */
export function pemOf({ path }: Entry, key: string, data: string | undefined): string | undefined {
  return data === undefined ? undefined : requirePem(`${path}.${key}`, Buffer.from(data, 'base64').toString());
}

/** The text, if it holds a PEM. Throws an Error that names the field. */
export function requirePem(field: string, text: string): string {
  if (!text.includes('-----BEGIN ')) throw new Error(`${field} holds no PEM`);
  return text;
}

/** Throws an Error that names the field that is missing when there is only one of certificate and key. */
export function requirePair({ path }: Entry, { cert, key }: { cert: unknown; key: unknown }): void {
  if (cert && !key) throw new Error(`${path}.client-key is missing beside client-certificate`);
  if (key && !cert) throw new Error(`${path}.client-certificate is missing beside client-key`);
}

/** The server as connections have it: a URL of http or https without a slash at the end. Throws an Error that names the field. */
export function serverOf({ path }: Entry, server: string | undefined): string {
  if (server === undefined) throw new Error(`${path}.server is missing`);
  if (!/^https?:$/.test(URL.parse(server)?.protocol ?? ''))
    throw new Error(`${path}.server is "${server}", which is not an http or https URL`);
  return withoutSlash(server);
}

/** A URL without slashes at its end. */
export function withoutSlash(url: string): string {
  const [whole = ''] = url.match(/^.*[^/]/s) ?? [];
  return whole;
}
