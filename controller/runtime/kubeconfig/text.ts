import { type Connection, type Credentials, noCredentials, type Tls } from '../client/connection.ts';
import { passwordCredentials, tokenCredentials } from '../client/credentials.ts';
import { type Judging, judgedSend } from '../client/judgedsend.ts';
import { AddressRefused } from '../dns/judgednames.ts';
import { complaintOf, literalOf, type Trust } from '../dns/serverrules.ts';
import { refuseAmplified } from './amplified.ts';
import { clusterKeys, contextKeys, fieldsOf, pemOf, requirePair, userKeys, withoutSlash } from './fields.ts';
import { type Choice, choiceIn, type Entry } from './file.ts';

/** What stands in the place of a key that is refused, where something does. */
const INSTEAD: Readonly<Record<string, string>> = {
  'certificate-authority': 'a file: give certificate-authority-data',
  tokenFile: 'a file: give token',
  'token-file': 'a file: give token',
  'client-certificate': 'a file: give client-certificate-data',
  'client-key': 'a file: give client-key-data',
  exec: 'a program: give token, or client-certificate-data and client-key-data',
  'auth-provider': 'a plug-in: give token, or client-certificate-data and client-key-data',
  as: 'impersonation: give credentials of that user',
  'as-uid': 'impersonation: give credentials of that user',
  'as-groups': 'impersonation: give credentials of that user',
  'as-user-extra': 'impersonation: give credentials of that user',
};

/** Characters that a header can carry. */
const PRINTABLE = /^[\x21-\x7e]*$/;

/**
 * The connection that the text of somebody's kubeconfig describes, all by itself: of the context, the cluster and the user
 * that it chooses only the keys of kubeconfigfields.ts are read, and any other is refused by its name. This module opens no
 * file and runs no program, nor does any that it imports. Where its server and its proxy may be is judged, here as far as their
 * URLs tell, and at each connection by their addresses. Throws an Error that names the field and says what to do.
 */
export function selfContainedConnection(text: string, judging: Judging): Connection {
  refuseAmplified(text);
  const choice = choiceIn(text);
  refuseOthers(choice.context, contextKeys);
  refuseOthers(choice.cluster, clusterKeys);
  if (choice.user) refuseOthers(choice.user, userKeys);
  const { namespace } = fieldsOf(choice.context, contextKeys);
  const { server, proxy } = waysIn(choice.cluster, judging.trust);
  return {
    server: withoutSlash(server.href),
    send: judgedSend(judging, proxy?.href),
    tls: tlsOf(choice),
    credentials: choice.user ? credentialsOf(choice.user) : noCredentials,
    ...(namespace !== undefined && { namespace }),
  };
}

function refuseOthers({ path, keys }: Entry, allowed: Readonly<Record<string, unknown>>): void {
  const other = Object.keys(keys).find((key) => !Object.hasOwn(allowed, key) && !isEmpty(keys[key]));
  if (other === undefined) return;
  const is = Object.hasOwn(INSTEAD, other) ? `is ${INSTEAD[other]}` : 'is not a key that is known here: take it out';
  throw new Error(`${path}.${other} is refused in a kubeconfig of a Secret: it ${is}`);
}

/** Tools write keys that say nothing: `tokenFile: ""`, `as-groups: []`, `as-user-extra: {}`. */
const isEmpty = (value: unknown): boolean =>
  value === null || value === '' || (typeof value === 'object' && Object.keys(value).length === 0);

/** URLs of the server and of the proxy before it. */
function waysIn(cluster: Entry, trust: Trust): { server: URL; proxy?: URL } {
  const fields = fieldsOf(cluster, clusterKeys);
  const server = urlIn(cluster, 'server', trust);
  if (!server) throw new Error(`${cluster.path}.server is missing`);
  const isTrusted = trust.hasName(server.hostname) || trust.hasAddress(literalOf(server.hostname) ?? '');
  const unless = `unless --cluster-server-allow names ${server.hostname}`;
  if (server.protocol !== 'https:' && !isTrusted)
    throw new Error(`${cluster.path}.server is not an https URL: without it nothing is sent ${unless}`);
  if (fields['insecure-skip-tls-verify'] && !isTrusted)
    throw new Error(
      `${cluster.path}.insecure-skip-tls-verify is refused ${unless}: give certificate-authority-data, and tls-server-name if the certificate has another name`,
    );
  const proxy = urlIn(cluster, 'proxy-url', trust);
  if (proxy && proxy.protocol !== 'http:')
    throw new Error(
      `${cluster.path}.proxy-url is not an http URL: what goes through the proxy is encrypted all the same`,
    );
  return { server, ...(proxy && { proxy }) };
}

/** A URL of http or https with nothing but host, port and path. */
function urlIn(cluster: Entry, key: 'server' | 'proxy-url', trust: Trust): URL | undefined {
  const text = fieldsOf(cluster, clusterKeys)[key];
  if (text === undefined) return undefined;
  const field = `${cluster.path}.${key}`;
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) throw new Error(`${field} is not an http or https URL`);
  if (/[?#]/.test(url.href) || url.username || url.password)
    throw new Error(
      `${field} has a query, a fragment or a user: give scheme, host, port and path, and credentials in users`,
    );
  const address = literalOf(url.hostname);
  const complaint = address && complaintOf(address, trust);
  if (complaint) throw new Error(`${field} is refused: ${new AddressRefused(address, address, complaint).message}`);
  return url;
}

function credentialsOf(user: Entry): Credentials {
  const { token: written, username, password = '' } = fieldsOf(user, userKeys);
  const token = written?.trim();
  if (token !== undefined && !PRINTABLE.test(token))
    throw new Error(`${user.path}.token holds characters that no token has`);
  if (token) return tokenCredentials(token);
  return username ? passwordCredentials(username, password) : noCredentials;
}

function tlsOf({ cluster, user }: Choice): Tls {
  const fields = fieldsOf(cluster, clusterKeys);
  const ca = pemOf(cluster, 'certificate-authority-data', fields['certificate-authority-data']);
  return {
    ...(ca && { ca }),
    ...(user && pairOf(user)),
    ...(fields['tls-server-name'] && { serverName: fields['tls-server-name'] }),
    ...(fields['insecure-skip-tls-verify'] && { rejectUnauthorized: false }),
  };
}

function pairOf(user: Entry): Pick<Tls, 'cert' | 'key'> {
  const { 'client-certificate-data': certData, 'client-key-data': keyData } = fieldsOf(user, userKeys);
  const cert = pemOf(user, 'client-certificate-data', certData);
  const key = pemOf(user, 'client-key-data', keyData);
  requirePair(user, { cert, key });
  return cert && key ? { cert, key } : {};
}
