import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Authority, makeSigningPair, openAuthority } from './authority.ts';
import { keptPair, type Pair } from './pair.ts';
import { HOST } from './ports.ts';

/** Paths of a pair's files, as flags want them. */
export interface PairFiles {
  cert: string;
  key: string;
}

export interface Pki {
  /** Whose certificates the API server takes for users; issue one to mint a user. */
  cluster: Authority;
  /** etcd's own, so that no user of the API server can talk to etcd. */
  etcd: Authority;
  /** A user of the group system:masters, whom RBAC does not bind. */
  admin: Pair;
  etcdClient: Pair;
  files: {
    clusterCa: string;
    etcdCa: string;
    apiserver: PairFiles;
    etcd: PairFiles;
    etcdClient: PairFiles;
    serviceAccount: PairFiles;
  };
}

/** Everything that a control plane on this machine proves itself with; made the first time, kept in the folder. */
export async function openPki(folder: string): Promise<Pki> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const [cluster, etcd] = await Promise.all([openAuthority(folder, 'cluster-ca'), openAuthority(folder, 'etcd-ca')]);
  const hosts = [HOST, 'localhost'];
  const [admin, etcdClient] = await Promise.all([
    keptPair(folder, 'admin', () => cluster.issue({ commonName: 'admin', groups: ['system:masters'] })),
    keptPair(folder, 'etcd-client', () => etcd.issue({ commonName: 'kube-apiserver' })),
    keptPair(folder, 'apiserver', () => cluster.issue({ commonName: 'kube-apiserver', hosts })),
    keptPair(folder, 'etcd', () => etcd.issue({ commonName: 'etcd', hosts })),
    keptPair(folder, 'service-account', makeSigningPair),
  ]);
  const files = (name: string): PairFiles => ({ cert: join(folder, `${name}.crt`), key: join(folder, `${name}.key`) });
  return {
    cluster,
    etcd,
    admin,
    etcdClient,
    files: {
      clusterCa: files('cluster-ca').cert,
      etcdCa: files('etcd-ca').cert,
      apiserver: files('apiserver'),
      etcd: files('etcd'),
      etcdClient: files('etcd-client'),
      serviceAccount: files('service-account'),
    },
  };
}
