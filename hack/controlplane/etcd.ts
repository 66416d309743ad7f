import { join } from 'node:path';
import type { Plan } from './plane.ts';
import { HOST } from './ports.ts';

/** Where clients find etcd. */
export const etcdUrl = ({ ports }: Pick<Plan, 'ports'>): string => `https://${HOST}:${ports.etcd}`;

/** etcd with one member, which nobody but the API server can talk to. */
export function etcdCommand(plan: Plan): string[] {
  const { files } = plan.pki;
  return [
    plan.binaries.etcd,
    `--data-dir=${join(plan.folder, 'etcd')}`,
    `--listen-client-urls=${etcdUrl(plan)}`,
    `--advertise-client-urls=${etcdUrl(plan)}`,
    `--cert-file=${files.etcd.cert}`,
    `--key-file=${files.etcd.key}`,
    `--trusted-ca-file=${files.etcdCa}`,
    '--client-cert-auth',
    // A member has to listen for others; there are none, so any port will do, and only a certificate opens it.
    `--listen-peer-urls=https://${HOST}:0`,
    `--peer-cert-file=${files.etcd.cert}`,
    `--peer-key-file=${files.etcd.key}`,
    `--peer-trusted-ca-file=${files.etcdCa}`,
    '--peer-client-cert-auth',
    '--log-level=warn',
    ...(plan.durable ? [] : ['--unsafe-no-fsync']),
  ];
}
