import { join } from 'node:path';
import { TextFile } from '../textfile.ts';
import { type Connection, tokenFileCredentials } from './connection.ts';

/** Where a pod finds what kubelet mounts for its ServiceAccount. */
const FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount';

/**
 * The connection of a pod to its own cluster, from its environment and the files of its ServiceAccount. Token and CA are
 * followed when they change. Throws when this is no pod, or when a file is missing.
 */
export function inClusterConnection({ env = process.env, folder = FOLDER } = {}): Connection {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = env;
  if (!host || !port) {
    throw new Error(
      'this is not a pod: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set; give a kubeconfig',
    );
  }
  const [token, ca] = [new TextFile(join(folder, 'token')), new TextFile(join(folder, 'ca.crt'))];
  token.read();
  ca.read();
  return {
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    get tls() {
      return { ca: ca.read() };
    },
    credentials: tokenFileCredentials(token),
    namespace: new TextFile(join(folder, 'namespace')).read(),
  };
}
