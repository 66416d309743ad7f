import { join } from 'node:path';
import { etcdUrl } from './etcd.ts';
import type { Plan } from './plane.ts';
import { HOST } from './ports.ts';

const ISSUER = 'https://kubernetes.default.svc.cluster.local';

/** Where clients find the API server. */
export const apiserverUrl = ({ ports }: Pick<Plan, 'ports'>): string => `https://${HOST}:${ports['kube-apiserver']}`;

/** kube-apiserver on this machine only, with RBAC on. Flags of the plan come last, and the last of two wins. */
export function apiserverCommand(plan: Plan): string[] {
  const { files } = plan.pki;
  return [
    plan.binaries['kube-apiserver'],
    `--bind-address=${HOST}`,
    `--advertise-address=${HOST}`,
    `--secure-port=${plan.ports['kube-apiserver']}`,
    `--cert-dir=${join(plan.folder, 'pki')}`,
    `--tls-cert-file=${files.apiserver.cert}`,
    `--tls-private-key-file=${files.apiserver.key}`,
    `--client-ca-file=${files.clusterCa}`,
    '--authorization-mode=RBAC',
    '--enable-bootstrap-token-auth=true',
    `--etcd-servers=${etcdUrl(plan)}`,
    `--etcd-cafile=${files.etcdCa}`,
    `--etcd-certfile=${files.etcdClient.cert}`,
    `--etcd-keyfile=${files.etcdClient.key}`,
    `--service-account-issuer=${ISSUER}`,
    `--service-account-key-file=${files.serviceAccount.cert}`,
    `--service-account-signing-key-file=${files.serviceAccount.key}`,
    '--service-cluster-ip-range=10.96.0.0/16',
    // No controller makes ServiceAccounts called "default" here, and without them no pod could be created.
    '--disable-admission-plugins=ServiceAccount',
    // There is one API server and nobody looks up its address in the cluster.
    '--endpoint-reconciler-type=none',
    // Priority and fairness share out this sum; a ServiceAccount's part of the default is too small for a busy herd.
    '--max-requests-inflight=1200',
    '--max-mutating-requests-inflight=600',
    '--profiling=false',
    ...plan.flags,
  ];
}
