import { dirname, resolve } from 'node:path';
import type { User } from '@kubernetes/client-node';
import { type Clock, systemClock } from './clock.ts';
import { type Connection, type Credentials, noCredentials, type Tls } from './connection.ts';
import { passwordCredentials, tokenCredentials, tokenFileCredentials } from './credentials.ts';
import { type ExecConfig, ExecCredentials } from './exec.ts';
import { type Choice, choiceIn, chooseContext } from './kubeconfigfile.ts';
import { TextFile } from './textfile.ts';

/** Versions of the protocol with credential programs that ours speaks. */
const EXEC_VERSIONS = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1'];

/** A choice with the folder from which its relative paths count. */
interface Located extends Choice {
  folder: string;
}

/**
 * The connection that a kubeconfig file describes: its current context, or the one of that name. Files that it names are
 * followed when they change. Throws an Error that names the file, the field and what to do.
 */
export async function kubeconfigConnection(
  path: string,
  { context, clock = systemClock }: { context?: string; clock?: Clock } = {},
): Promise<Connection> {
  try {
    const choice = { ...(await chooseContext(path, context)), folder: dirname(resolve(path)) };
    refuseUnsupported(choice);
    return connectionOf(choice, clock);
  } catch (error) {
    throw new Error(`kubeconfig ${path}: ${error instanceof Error ? error.message : error}`, { cause: error });
  }
}

/**
 * The connection that the text of a kubeconfig describes, all by itself: a kubeconfig of somebody's Secret may neither run
 * programs nor read files of this process. Throws an Error that names the field and says what to do.
 */
export async function selfContainedConnection(text: string, clock: Clock = systemClock): Promise<Connection> {
  const choice = { ...(await choiceIn(text)), folder: '/' };
  refuseOutside(choice);
  refuseUnsupported(choice);
  return connectionOf(choice, clock);
}

function connectionOf(choice: Located, clock: Clock): Connection {
  const { cluster, namespace } = choice;
  const credentials = credentialsOf(choice, clock);
  const tls = tlsOf(choice, credentials);
  // What is missing shows now, not at the first call.
  tls();
  return {
    server: cluster.server,
    get tls() {
      return tls();
    },
    credentials,
    ...(namespace !== undefined && { namespace }),
  };
}

function credentialsOf(choice: Located, clock: Clock): Credentials {
  const { user, folder } = choice;
  if (!user) return noCredentials;
  if (user.exec) return execCredentials({ ...choice, user }, clock);
  if (user.tokenFile) {
    const file = new TextFile(resolve(folder, user.tokenFile));
    file.read();
    return tokenFileCredentials(file);
  }
  if (user.token) return tokenCredentials(user.token);
  if (user.username) return passwordCredentials(user.username, user.password ?? '');
  return noCredentials;
}

function execCredentials({ cluster, user, folder }: Located & { user: User }, clock: Clock): ExecCredentials {
  const config = user.exec as ExecConfig;
  const field = `users[${user.name}].user.exec`;
  if (!config.command) throw new Error(`${field}.command is missing`);
  if (!EXEC_VERSIONS.includes(config.apiVersion)) {
    throw new Error(`${field}.apiVersion is ${config.apiVersion}: only ${EXEC_VERSIONS.join(' and ')} are supported`);
  }
  // A command with a slash counts from the kubeconfig's folder, any other is looked for on the PATH.
  const command = config.command.includes('/') ? resolve(folder, config.command) : config.command;
  const told = {
    server: cluster.server,
    'tls-server-name': cluster.tlsServerName,
    'insecure-skip-tls-verify': cluster.skipTLSVerify,
    'certificate-authority-data': cluster.caData,
  };
  return new ExecCredentials({ config: { ...config, command }, cluster: told, clock });
}

function tlsOf({ cluster, user, folder }: Located, credentials: Credentials): () => Tls {
  const ca = pem(`clusters[${cluster.name}].cluster.certificate-authority`, folder, [cluster.caData, cluster.caFile]);
  const field = `users[${user?.name}].user`;
  const cert = pem(`${field}.client-certificate`, folder, [user?.certData, user?.certFile]);
  const key = pem(`${field}.client-key`, folder, [user?.keyData, user?.keyFile]);
  if (cert && !key) throw new Error(`${field}.client-key is missing beside client-certificate`);
  if (key && !cert) throw new Error(`${field}.client-certificate is missing beside client-key`);
  return () => ({
    ...(ca && { ca: ca() }),
    ...(cert && key && { cert: cert(), key: key() }),
    ...(credentials instanceof ExecCredentials && credentials.certificate),
    ...(cluster.tlsServerName && { serverName: cluster.tlsServerName }),
    ...(cluster.skipTLSVerify && { rejectUnauthorized: false }),
  });
}

/** A way to read a PEM that is given in base64 or, second, as a file; undefined when it is given in neither way. */
function pem(
  field: string,
  folder: string,
  [data, file]: Array<string | null | undefined>,
): (() => string) | undefined {
  if (data) {
    const text = requirePem(`${field}-data`, Buffer.from(data, 'base64').toString());
    return () => text;
  }
  if (!file) return undefined;
  const source = new TextFile(resolve(folder, file));
  return () => requirePem(field, source.read());
}

function requirePem(field: string, text: string): string {
  if (!text.includes('-----BEGIN ')) throw new Error(`${field} holds no PEM`);
  return text;
}

/** Fields that lead out of the kubeconfig, and what stands for them inside it. */
function refuseOutside({ cluster, user }: Choice): void {
  const [inCluster, inUser] = [`clusters[${cluster.name}].cluster`, `users[${user?.name}].user`];
  const outside: ReadonlyArray<[unknown, string, string]> = [
    [user?.exec, `${inUser}.exec runs a program`, 'give a token or a client certificate'],
    [user?.authProvider, `${inUser}.auth-provider runs a plug-in`, 'give a token or a client certificate'],
    [cluster.caFile, `${inCluster}.certificate-authority is a file`, 'give certificate-authority-data'],
    [user?.certFile, `${inUser}.client-certificate is a file`, 'give client-certificate-data'],
    [user?.keyFile, `${inUser}.client-key is a file`, 'give client-key-data'],
    [user?.tokenFile, `${inUser}.tokenFile is a file`, 'give token'],
  ];
  for (const [found, what, instead] of outside)
    if (found) throw new Error(`${what}, which is not done for a kubeconfig of a Secret: ${instead} instead`);
}

function refuseUnsupported({ cluster, user }: Choice): void {
  const [inCluster, inUser] = [`clusters[${cluster.name}].cluster`, `users[${user?.name}].user`];
  if (!/^https?:$/.test(URL.parse(cluster.server)?.protocol ?? '')) {
    throw new Error(`${inCluster}.server is "${cluster.server}", which is no URL of http or https`);
  }
  if (cluster.proxyUrl) {
    throw new Error(`${inCluster}.proxy-url is not supported: set HTTPS_PROXY for the process instead`);
  }
  if (user?.authProvider) {
    throw new Error(`${inUser}.auth-provider is gone since Kubernetes 1.26: use exec with the provider's program`);
  }
  if (user?.impersonateUser) {
    throw new Error(`${inUser}.as is not supported: give credentials of ${user.impersonateUser}`);
  }
  if ((user?.exec as ExecConfig | undefined)?.interactiveMode === 'Always') {
    throw new Error(`${inUser}.exec.interactiveMode is Always, but nobody sits here to answer`);
  }
}
