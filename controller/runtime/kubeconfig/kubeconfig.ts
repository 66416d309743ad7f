import { dirname, resolve } from 'node:path';
import {
  type Connection,
  type Credentials,
  noCredentials,
  passwordCredentials,
  type Tls,
  tokenCredentials,
  tokenFileCredentials,
} from '../client/connection.ts';
import { type ExecConfig, ExecCredentials } from '../client/exec.ts';
import { inClusterConnection } from '../client/incluster.ts';
import { viaOf } from '../client/proxies.ts';
import { type Clock, systemClock } from '../clock.ts';
import { TextFile } from '../textfile.ts';
import {
  clusterKeys,
  contextKeys,
  fieldsOf,
  outerClusterKeys,
  outerUserKeys,
  pemOf,
  requirePair,
  requirePem,
  serverOf,
  userKeys,
} from './fields.ts';
import { type Choice, choiceIn, type Entry } from './file.ts';

/** Versions of the protocol with credential programs that ours speaks. */
const EXEC_VERSIONS = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1'];

/** Name of the extension of a cluster that is for them (client-go, tools/clientcmd/api, ExecConfig). */
const EXEC_EXTENSION = 'client.authentication.k8s.io/exec';

/** A choice as it was read, with the folder from which its relative paths count. */
interface Located {
  context: Entry;
  cluster: Entry & { fields: ReturnType<typeof clusterFields> };
  user?: Entry & { fields: ReturnType<typeof userFields> };
  folder: string;
}

const clusterFields = (entry: Entry) => fieldsOf(entry, { ...clusterKeys, ...outerClusterKeys });
const userFields = (entry: Entry) => fieldsOf(entry, { ...userKeys, ...outerUserKeys });

/**
 * The connection that a kubeconfig file of the operator describes: its current context, or the one of that name. Files that
 * it names are followed when they change, and its credential program is run: text of anybody else is for
 * `selfContainedConnection`. Throws an Error that names the file, the field and what to do.
 */
export async function kubeconfigConnection(
  path: string,
  { context, clock = systemClock }: { context?: string; clock?: Clock } = {},
): Promise<Connection> {
  try {
    const choice = located(choiceIn(await read(path), context), dirname(resolve(path)));
    refuseUnsupported(choice);
    return connectionOf(choice, clock);
  } catch (error) {
    throw new Error(`kubeconfig ${path}: ${error instanceof Error ? error.message : error}`, { cause: error });
  }
}

/** The connection that settings name: the pod's own, or that of a kubeconfig file. Throws an Error that names the file, and what is wrong with it. */
export async function connectionFrom(source: { from: 'pod' } | { from: 'file'; path: string }): Promise<Connection> {
  return source.from === 'pod' ? inClusterConnection() : kubeconfigConnection(source.path);
}

async function read(path: string): Promise<string> {
  try {
    return await Bun.file(path).text();
  } catch (error) {
    throw new Error('the file cannot be read', { cause: error });
  }
}

const located = ({ context, cluster, user }: Choice, folder: string): Located => ({
  context,
  cluster: { ...cluster, fields: clusterFields(cluster) },
  ...(user && { user: { ...user, fields: userFields(user) } }),
  folder,
});

function connectionOf(choice: Located, clock: Clock): Connection {
  const { context, cluster } = choice;
  const { namespace } = fieldsOf(context, contextKeys);
  const proxy = cluster.fields['proxy-url'];
  const credentials = credentialsOf(choice, clock);
  const tls = tlsOf(choice, credentials);
  // What is missing shows now, not at the first call.
  tls();
  return {
    server: serverOf(cluster, cluster.fields.server),
    get tls() {
      return tls();
    },
    credentials,
    ...(proxy !== undefined && { send: (url, request) => fetch(url, { ...request, proxy: viaOf(proxy) }) }),
    ...(namespace !== undefined && { namespace }),
  };
}

function credentialsOf({ cluster, user, folder }: Located, clock: Clock): Credentials {
  if (!user) return noCredentials;
  const { exec, tokenFile, token, username, password = '' } = user.fields;
  if (exec) return execCredentials({ cluster, user, folder }, clock);
  if (tokenFile) {
    const file = new TextFile(resolve(folder, tokenFile));
    file.read();
    return tokenFileCredentials(file);
  }
  if (token) return tokenCredentials(token);
  return username ? passwordCredentials(username, password) : noCredentials;
}

function execCredentials(
  { cluster, user, folder }: Pick<Required<Located>, 'cluster' | 'user' | 'folder'>,
  clock: Clock,
): ExecCredentials {
  const config = user.fields.exec as ExecConfig;
  const field = `${user.path}.exec`;
  if (!config.command) throw new Error(`${field}.command is missing`);
  if (!EXEC_VERSIONS.includes(config.apiVersion)) {
    throw new Error(`${field}.apiVersion is ${config.apiVersion}: only ${EXEC_VERSIONS.join(' and ')} are supported`);
  }
  // A command with a slash counts from the kubeconfig's folder, any other is looked for on the PATH.
  const command = config.command.includes('/') ? resolve(folder, config.command) : config.command;
  return new ExecCredentials({ config: { ...config, command }, cluster: toldOf(cluster, folder), clock });
}

/** What a program is told of the cluster, as client-go tells it: an authority in a file by its content, which may change. */
function toldOf(cluster: Located['cluster'], folder: string): () => Record<string, unknown> {
  const { server, extensions, ...fields } = cluster.fields;
  const ca = pem({ entry: cluster, key: 'certificate-authority', folder });
  const config = extensionIn(extensions);
  return () => ({
    server,
    'tls-server-name': fields['tls-server-name'],
    'insecure-skip-tls-verify': fields['insecure-skip-tls-verify'],
    'certificate-authority-data': ca && Buffer.from(ca()).toString('base64'),
    'proxy-url': fields['proxy-url'],
    'disable-compression': fields['disable-compression'],
    config,
  });
}

/** What a cluster's entry holds for credential programs, whatever it is. */
function extensionIn(extensions: unknown): unknown {
  const named = (Array.isArray(extensions) ? extensions : []).find((one) => one?.name === EXEC_EXTENSION);
  return named?.extension;
}

function tlsOf({ cluster, user, folder }: Located, credentials: Credentials): () => Tls {
  const { fields } = cluster;
  const ca = pem({ entry: cluster, key: 'certificate-authority', folder });
  const [cert, key] = user
    ? [pem({ entry: user, key: 'client-certificate', folder }), pem({ entry: user, key: 'client-key', folder })]
    : [];
  if (user) requirePair(user, { cert, key });
  return () => ({
    ...(ca && { ca: ca() }),
    ...(cert && key && { cert: cert(), key: key() }),
    ...(credentials instanceof ExecCredentials && credentials.certificate),
    ...(fields['tls-server-name'] && { serverName: fields['tls-server-name'] }),
    ...(fields['insecure-skip-tls-verify'] && { rejectUnauthorized: false }),
  });
}

/** A way to read a PEM that is given in base64 or, second, as a file; undefined when it is given in neither way. */
function pem({ entry, key, folder }: { entry: Entry; key: string; folder: string }): (() => string) | undefined {
  const data = `${key}-data`;
  const given = fieldsOf(entry, { [key]: 'text', [data]: 'text' });
  const inside = pemOf(entry, data, given[data]);
  if (inside) return () => inside;
  const file = given[key];
  if (file === undefined) return undefined;
  const source = new TextFile(resolve(folder, file));
  return () => requirePem(`${entry.path}.${key}`, source.read());
}

function refuseUnsupported({ cluster, user }: Located): void {
  const proxy = cluster.fields['proxy-url'];
  if (proxy && !/^https?:$/.test(URL.parse(proxy)?.protocol ?? ''))
    throw new Error(`${cluster.path}.proxy-url is not an http or https URL, the kinds of proxy that are supported`);
  if (!user) return;
  const { as, exec } = user.fields;
  if (user.fields['auth-provider'])
    throw new Error(`${user.path}.auth-provider is gone since Kubernetes 1.26: use exec with the provider's program`);
  if (as) throw new Error(`${user.path}.as is not supported: give credentials of ${as}`);
  if ((exec as ExecConfig | undefined)?.interactiveMode === 'Always')
    throw new Error(`${user.path}.exec.interactiveMode is Always, but nobody sits here to answer`);
}
