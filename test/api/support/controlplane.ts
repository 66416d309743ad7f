import { join } from 'node:path';
import type { Connection } from '../../../controller/runtime/client/api.ts';
import { call } from '../../../hack/controlplane/call.ts';
import {
  ensureServiceAccount,
  mintToken,
  type ServiceAccountRef,
  tokenConnection,
  userConnection,
} from '../../../hack/controlplane/identities.ts';
import { writeKubeconfig } from '../../../hack/controlplane/kubeconfig.ts';
import { type Ended, runKubectl } from '../../../hack/controlplane/kubectl.ts';
import { installCrds } from '../../../hack/controlplane/manifests.ts';
import type { Server } from '../../../hack/controlplane/server.ts';
import { startThrowAway, type ThrowAway } from '../../../hack/controlplane/throwaway.ts';
import { findTools } from '../../../hack/tools/find.ts';

const CRDS = join(import.meta.dir, '../../../charts/drover/files/crds');
const HOUR_S = 3600;

/** A way into the cluster, as our own client and as any other program takes it. */
export interface Identity {
  connection: Connection;
  /** Path of a kubeconfig. */
  kubeconfig: string;
}

export interface KubectlOptions {
  /** What `-f -` reads. */
  stdin?: string;
  /** As whom; the administrator unless said. */
  kubeconfig?: string;
}

/** A real API server with RBAC on and Drover's CRDs installed. */
export interface Cluster {
  /** May do everything. */
  admin: Connection;
  /** Path of the administrator's kubeconfig. */
  kubeconfig: string;
  /** A folder for files, gone with the cluster. */
  folder: string;
  /** Makes a namespace of one's own and returns its name: the prefix and a random end. */
  namespace(prefix: string): Promise<string>;
  /** A user with a client certificate. RBAC allows them nothing unless the test binds something. */
  user(name: string, groups?: readonly string[]): Promise<Identity>;
  /** A ServiceAccount, made if need be, with a token from TokenRequest. */
  serviceAccount(namespace: string, name: string, seconds?: number): Promise<Identity & { token: string }>;
  kubectl(args: readonly string[], options?: KubectlOptions): Promise<Ended>;
}

/** A cluster for one test file alone, to be killed, frozen and started again. */
export interface OwnCluster extends Cluster {
  apiserver: Server;
  etcd: Server;
  /** etcd forgets all history before now. The API server's watch cache remembers some of it until it is restarted. */
  compact(): Promise<void>;
  /** Ends the cluster at once; it ends with the process anyway. */
  end(): Promise<void>;
}

export interface OwnClusterOptions {
  /** More flags for kube-apiserver. */
  flags?: readonly string[];
  /** Without Drover's CRDs, for tests that install them by other ways. */
  bare?: boolean;
}

let shared: Promise<Cluster> | undefined;

/** The cluster that all test files of this process share, started by the first that asks. Keep to your namespaces. */
export function controlPlane(): Promise<Cluster> {
  shared ??= ownControlPlane().catch((error) => {
    // One that does not start fails one file, not all that follow.
    shared = undefined;
    throw error;
  });
  return shared;
}

/** Starts a cluster of the caller's own: three seconds and half a gigabyte, so only for tests that break it. */
export async function ownControlPlane({ flags = [], bare = false }: OwnClusterOptions = {}): Promise<OwnCluster> {
  const binaries = await findTools(['etcd', 'kube-apiserver', 'kubectl']);
  const plane = await startThrowAway(binaries, flags);
  if (!bare) await installCrds(plane.admin, CRDS);
  const { kubeconfig } = await identity(plane, 'admin', plane.admin);
  return {
    admin: plane.admin,
    kubeconfig,
    folder: plane.folder,
    apiserver: plane.apiserver,
    etcd: plane.etcd,
    end: plane.end,
    namespace: (prefix) => makeNamespace(plane.admin, prefix),
    compact: () => compact(plane.etcdConnection),
    user: async (name, groups = []) => identity(plane, `user-${name}`, await userConnection(plane, name, groups)),
    serviceAccount: (namespace, name, seconds = HOUR_S) => serviceAccount(plane, { namespace, name }, seconds),
    kubectl: (args, options = {}) =>
      runKubectl({ binary: binaries.kubectl, kubeconfig: options.kubeconfig ?? kubeconfig }, args, options.stdin),
  };
}

async function serviceAccount(plane: ThrowAway, ref: ServiceAccountRef, seconds: number) {
  await ensureServiceAccount(plane, ref);
  const token = await mintToken(plane, ref, seconds);
  return { token, ...(await identity(plane, `${ref.namespace}.${ref.name}`, tokenConnection(plane, token))) };
}

async function identity(plane: ThrowAway, name: string, connection: Connection): Promise<Identity> {
  const kubeconfig = join(plane.folder, `${encodeURIComponent(name)}.kubeconfig`);
  await writeKubeconfig(kubeconfig, connection);
  return { connection, kubeconfig };
}

async function makeNamespace(admin: Connection, prefix: string): Promise<string> {
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { generateName: `${prefix}-` } };
  const made = await call(admin, { method: 'POST', path: '/api/v1/namespaces', body });
  return (made as { metadata: { name: string } }).metadata.name;
}

async function compact(etcd: Connection): Promise<void> {
  const post = (path: string, body: unknown): Promise<unknown> => call(etcd, { method: 'POST', path, body });
  const { header } = (await post('/v3/kv/range', { key: btoa('any') })) as { header: { revision: string } };
  await post('/v3/kv/compaction', { revision: header.revision, physical: true });
}
