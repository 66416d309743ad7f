import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Connection, noCredentials } from '../../controller/runtime/client/connection.ts';
import { type Folders, find } from '../processes/daemon.ts';
import { apiserverCommand, apiserverUrl } from './apiserver.ts';
import { call } from './call.ts';
import { etcdCommand, etcdUrl } from './etcd.ts';
import { openPki, type Pki } from './pki.ts';
import { keptPorts } from './ports.ts';
import { type Server, serverOf } from './server.ts';

/** Paths of the programs that make a control plane. */
export interface Binaries {
  etcd: string;
  'kube-apiserver': string;
}

export interface PlaneParts {
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
export interface Plan {
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
    serverOf({ folders, program: { name, command }, ready, timeoutMs: 60_000 });
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

/** Ends both servers in order. */
export async function stopPlane({ etcd, apiserver }: Plane): Promise<void> {
  await apiserver.stop();
  await etcd.stop();
}

const get = (connection: Connection, path: string): Promise<unknown> => call(connection, { path, timeoutMs: 2_000 });

/** etcd answers `{"health":"true"}`, as plain text. */
async function healthy(etcd: Connection): Promise<boolean> {
  return String(await get(etcd, '/health')).includes('"health":"true"');
}
