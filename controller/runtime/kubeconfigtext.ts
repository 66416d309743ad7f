import { type Connection, type Credentials, noCredentials, type Tls } from './connection.ts';
import { passwordCredentials, tokenCredentials } from './credentials.ts';
import { clusterKeys, contextKeys, fieldsOf, pemOf, requirePair, serverOf, userKeys } from './kubeconfigfields.ts';
import { type Choice, choiceIn, type Entry } from './kubeconfigfile.ts';

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
 * file and runs no program, nor does any that it imports. Throws an Error that names the field and says what to do.
 */
export function selfContainedConnection(text: string): Connection {
  const choice = choiceIn(text);
  refuseOthers(choice.context, contextKeys);
  refuseOthers(choice.cluster, clusterKeys);
  if (choice.user) refuseOthers(choice.user, userKeys);
  const { namespace } = fieldsOf(choice.context, contextKeys);
  const { server, 'proxy-url': proxy } = fieldsOf(choice.cluster, clusterKeys);
  if (proxy) throw new Error(`${choice.cluster.path}.proxy-url is not supported`);
  return {
    server: serverOf(choice.cluster, server),
    tls: tlsOf(choice),
    credentials: choice.user ? credentialsOf(choice.user) : noCredentials,
    ...(namespace !== undefined && { namespace }),
  };
}

function refuseOthers({ path, keys }: Entry, allowed: Readonly<Record<string, unknown>>): void {
  const other = Object.keys(keys).find((key) => !Object.hasOwn(allowed, key) && keys[key] !== null);
  if (other === undefined) return;
  const is = Object.hasOwn(INSTEAD, other) ? `is ${INSTEAD[other]}` : 'is no key that is known here: take it out';
  throw new Error(`${path}.${other} is refused in a kubeconfig of a Secret: it ${is}`);
}

function credentialsOf(user: Entry): Credentials {
  const { token, username, password = '' } = fieldsOf(user, userKeys);
  if (token !== undefined && !PRINTABLE.test(token))
    throw new Error(`${user.path}.token holds characters that none has`);
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
