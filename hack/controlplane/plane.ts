import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Connection, noCredentials } from '../../controller/runtime/client/connection.ts';
import { type Folders, find } from '../lib/daemon.ts';
import { call } from './call.ts';
import { openPki, type Pki } from './pki.ts';
import { HOST, keptPorts } from './ports.ts';
import { type Server, serverOf } from './server.ts';

/** Paths of the programs that make a control plane. */
export interface Binaries {
  etcd: string;
  'kube-apiserver': string;
}

interface PlaneParts {
  /** Holds data, certificates and ports; the same folder again is the same control plane again. */
  folder: string;
  /** Where pid files and logs are kept; `run` and `log` in the folder unless said. */
  folders?: Folders;
  binaries: Binaries;
  /** Whether the data has to survive a power cut; without, etcd is faster. */
  durable: boolean;
  /** More flags for kube-apiserver. */
  flags?: readonly string[];
}

/** All that the command lines of the servers are made of. */
interface Plan {
  folder: string;
  binaries: Binaries;
  durable: boolean;
  flags: readonly string[];
  ports: Record<'etcd' | 'kube-apiserver', number>;
  pki: Pki;
}

/** A control plane: etcd and kube-apiserver. */
export interface Plane {
  /** May do everything (group system:masters). */
  admin: Connection;
  pki: Pki;
  etcd: Server;
  apiserver: Server;
  /** etcd's own API: JSON over HTTP below /v3, for what the API server does not offer. */
  etcdConnection: Connection;
}

/** Some start at the same time, on machines that are busy with other things. */
const START_MS = 150_000;

/** Gets everything ready for the control plane of a folder; starts nothing. */
export async function openPlane(parts: PlaneParts): Promise<Plane> {
  mkdirSync(parts.folder, { recursive: true, mode: 0o700 });
  const { folder, binaries, durable, flags = [] } = parts;
  const folders = parts.folders ?? { run: join(folder, 'run'), log: join(folder, 'log') };
  const runs = (name: string): boolean => find(folders, name) !== undefined;
  const [ports, pki] = await Promise.all([
    keptPorts(join(folder, 'ports.json'), ['etcd', 'kube-apiserver'], runs),
    openPki(join(folder, 'pki')),
  ]);
  const plan: Plan = { folder, binaries, durable, flags, ports, pki };
  const admin = { server: apiserverUrl(plan), tls: { ca: pki.cluster.ca, ...pki.admin }, credentials: noCredentials };
  const etcdConnection = {
    server: etcdUrl(plan),
    tls: { ca: pki.etcd.ca, ...pki.etcdClient },
    credentials: noCredentials,
  };
  const server = (name: string, command: string[], ready: () => Promise<boolean>): Server =>
    serverOf({ folders, program: { name, command }, ready, timeoutMs: START_MS });
  return {
    admin,
    pki,
    etcdConnection,
    etcd: server('etcd', etcdCommand(plan), () => healthy(etcdConnection)),
    apiserver: server('kube-apiserver', apiserverCommand(plan), async () => (await get(admin, '/readyz')) === 'ok'),
  };
}

/** Starts what does not run yet, and waits until all of it is ready. */
export async function startPlane({ etcd, apiserver }: Plane, signal?: AbortSignal): Promise<void> {
  await etcd.start(signal);
  await apiserver.start(signal);
}

const get = (connection: Connection, path: string): Promise<unknown> => call(connection, { path, timeoutMs: 2_000 });

/** etcd answers `{"health":"true"}`, as plain text. */
async function healthy(etcd: Connection): Promise<boolean> {
  return String(await get(etcd, '/health')).includes('"health":"true"');
}

/** Where clients find etcd. */
const etcdUrl = ({ ports }: Pick<Plan, 'ports'>): string => `https://${HOST}:${ports.etcd}`;

/** etcd with one member, which nobody but the API server can talk to. */
function etcdCommand(plan: Plan): string[] {
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

const ISSUER = 'https://kubernetes.default.svc.cluster.local';

/** Where clients find the API server. */
const apiserverUrl = ({ ports }: Pick<Plan, 'ports'>): string => `https://${HOST}:${ports['kube-apiserver']}`;

/** kube-apiserver on this machine only, with RBAC on. Flags of the plan come last, and the last of two wins. */
function apiserverCommand(plan: Plan): string[] {
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
