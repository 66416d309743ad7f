import { renameSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { CoreV1Api } from '@kubernetes/client-node';
import type { Connection } from '../../controller/runtime/client/connection.ts';
import type { Clock } from '../../controller/runtime/clock.ts';
import { containerOf, type Kubeconfigs } from './arguments.ts';
import { type Deployment, titleOf } from './deployment.ts';

/** For how long a token is asked for; a server may give it for less, or for longer. */
const TOKEN_SECONDS = 3600;
const RETRY_SECONDS = 20;

/** What kubeconfigs are made from. */
export interface AccessParts {
  /** The user's own way in. */
  connection: Connection;
  core: Pick<CoreV1Api, 'createNamespacedServiceAccountToken' | 'readNamespacedSecret'>;
  clock: Clock;
  deployment: Deployment;
  /** A folder for files that hold secrets. */
  folder: string;
  /** Taken in place of whatever is mounted; a path. */
  instead?: string | undefined;
  /** Told when a token could not be renewed. */
  complain(sentence: string): void;
}

/**
 * The kubeconfigs of the Deployment's pods, as files in the folder: one with a token of its ServiceAccount, which is renewed
 * after half of its life until the signal aborts, and copies of mounted Secrets.
 */
export async function podAccess(parts: AccessParts, signal: AbortSignal): Promise<Kubeconfigs> {
  const { connection, folder, instead } = parts;
  const [kubeconfig, token] = [join(folder, 'kubeconfig'), join(folder, 'token')];
  const seconds = await renewToken(parts, token);
  writeSecret(kubeconfig, JSON.stringify(kubeconfigBy(connection, token)));
  keepFresh(parts, { token, seconds, signal }).catch(() => undefined);
  return { own: () => kubeconfig, mounted: async (path) => instead ?? copyMounted(parts, path) };
}

/** Ends, by rejecting, with the signal. */
async function keepFresh(
  parts: AccessParts,
  at: { token: string; seconds: number; signal: AbortSignal },
): Promise<never> {
  let wait = at.seconds / 2;
  for (;;) {
    await parts.clock.sleep(wait * 1000, at.signal);
    try {
      wait = (await renewToken(parts, at.token)) / 2;
    } catch (error) {
      wait = RETRY_SECONDS;
      parts.complain(
        `the token of the ServiceAccount was not renewed: ${error instanceof Error ? error.message : error}`,
      );
    }
  }
}

/** Asks for a token and writes it; returns for how many seconds it is good. */
async function renewToken({ core, clock, deployment }: AccessParts, file: string): Promise<number> {
  const { status } = await core.createNamespacedServiceAccountToken({
    namespace: deployment.metadata.namespace ?? '',
    name: deployment.spec.template.spec.serviceAccountName ?? 'default',
    body: { spec: { audiences: [], expirationSeconds: TOKEN_SECONDS } },
  });
  if (!status?.token || !status.expirationTimestamp) throw new Error('the API server answered no token');
  writeSecret(file, status.token);
  return (status.expirationTimestamp.getTime() - clock.now()) / 1000;
}

function kubeconfigBy({ server, tls = {} }: Connection, tokenFile: string): object {
  const cluster = {
    server,
    ...(tls.ca && { 'certificate-authority-data': Buffer.from(tls.ca).toString('base64') }),
    ...(tls.serverName && { 'tls-server-name': tls.serverName }),
    ...(tls.rejectUnauthorized === false && { 'insecure-skip-tls-verify': true }),
  };
  const name = 'attached';
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster }],
    users: [{ name, user: { tokenFile } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  };
}

/** Copies the file that the container has at the path, if a Secret is mounted there as a whole. */
async function copyMounted({ core, deployment, folder }: AccessParts, path: string): Promise<string> {
  const mounts = containerOf(deployment).volumeMounts ?? [];
  const mount = mounts.find(({ mountPath }) => mountPath.replace(/\/$/, '') === dirname(path));
  const volume = deployment.spec.template.spec.volumes?.find(({ name }) => name === mount?.name);
  const advice = 'get that kubeconfig, and give it by --target-kubeconfig';
  if (!volume?.secret)
    throw new Error(`${titleOf(deployment)} uses ${path}, which is no file of a Secret mounted as a whole; ${advice}`);
  const name = volume.secret.secretName;
  const { data = {} } = await core.readNamespacedSecret({ namespace: deployment.metadata.namespace ?? '', name });
  const text = data[basename(path)];
  if (text === undefined)
    throw new Error(`${titleOf(deployment)} uses ${path}, but Secret ${name} has no key ${basename(path)}; ${advice}`);
  const copy = join(folder, `${name}-${basename(path)}`);
  writeSecret(copy, Buffer.from(text, 'base64').toString());
  return copy;
}

/** For this user's eyes only, whole or not at all. */
function writeSecret(path: string, text: string): void {
  writeFileSync(`${path}.part`, text, { mode: 0o600 });
  renameSync(`${path}.part`, path);
}
