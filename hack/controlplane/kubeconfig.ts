import { renameSync, writeFileSync } from 'node:fs';
import { stringify } from 'yaml';
import type { Connection } from '../../controller/runtime/client/api.ts';

const NAME = 'drover';

/** A kubeconfig with everything inside, for a connection that proves itself by certificate or by bearer token. */
export async function kubeconfigOf(connection: Connection): Promise<string> {
  const { server, tls = {}, namespace } = connection;
  const token = (await connection.credentials.header())?.replace(/^Bearer /, '');
  return stringify(
    {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: NAME, cluster: { server, ...base64({ 'certificate-authority-data': tls.ca }) } }],
      users: [
        {
          name: NAME,
          user: {
            ...base64({ 'client-certificate-data': tls.cert, 'client-key-data': tls.key }),
            ...(token === undefined ? {} : { token }),
          },
        },
      ],
      contexts: [
        { name: NAME, context: { cluster: NAME, user: NAME, ...(namespace === undefined ? {} : { namespace }) } },
      ],
      'current-context': NAME,
    },
    { lineWidth: 0 },
  );
}

/** Writes the kubeconfig for this user's eyes only, whole or not at all. */
export async function writeKubeconfig(path: string, connection: Connection): Promise<void> {
  writeFileSync(`${path}.part`, await kubeconfigOf(connection), { mode: 0o600 });
  renameSync(`${path}.part`, path);
}

const base64 = (values: Record<string, string | undefined>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([key, pem]) =>
      pem === undefined ? [] : [[key, Buffer.from(pem).toString('base64')]],
    ),
  );
