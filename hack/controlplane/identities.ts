import { type Connection, noCredentials } from '../../controller/runtime/client/connection.ts';
import { call } from './call.ts';
import { applyManifests } from './manifests.ts';
import type { Plane } from './plane.ts';

/** A way in for a user of that name and those groups, by client certificate. */
export async function userConnection(plane: Plane, commonName: string, groups: readonly string[]): Promise<Connection> {
  const pair = await plane.pki.cluster.issue({ commonName, groups });
  return { server: plane.admin.server, tls: { ca: plane.pki.cluster.ca, ...pair }, credentials: noCredentials };
}

/** Names a ServiceAccount. */
export interface ServiceAccountRef {
  namespace: string;
  name: string;
}

/** A bearer token of a ServiceAccount, asked for with TokenRequest. The API server takes no less than ten minutes. */
export async function mintToken(
  plane: Plane,
  { namespace, name }: ServiceAccountRef,
  seconds: number,
): Promise<string> {
  const answer = await call(plane.admin, {
    method: 'POST',
    path: `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`,
    body: { spec: { expirationSeconds: seconds } },
  });
  return (answer as { status: { token: string } }).status.token;
}

/** A way in for whoever holds the bearer token. */
export const tokenConnection = (plane: Plane, token: string): Connection => ({
  server: plane.admin.server,
  tls: { ca: plane.pki.cluster.ca },
  credentials: { header: () => `Bearer ${token}`, refresh: () => {} },
});

/** Makes the ServiceAccount unless it is there; its namespace has to be. */
export const ensureServiceAccount = (plane: Plane, ref: ServiceAccountRef): Promise<void> =>
  applyManifests(plane.admin, [{ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { ...ref } }]);
