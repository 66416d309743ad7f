import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { noCredentials } from '../../controller/runtime/client/connection.ts';
import { writeKubeconfig } from '../../hack/controlplane/kubeconfig.ts';
import { type Authority, openAuthority } from '../../hack/controlplane/pki.ts';
import { freePort, HOST } from '../../hack/controlplane/ports.ts';
import { Hopeless, until } from '../../hack/lib/until.ts';
import { builtGo, canBuildGo } from '../../hack/tools/gomodule.ts';
import { serveLists } from './lists.ts';
import { CORES, pinned } from './pinned.ts';

const ROOT = join(import.meta.dir, '../..');
const GO = { name: 'webhook-go', folder: join(import.meta.dir, 'peers/webhook-go') };

const READY_MS = 15_000;

/** A webhook that runs. */
export interface Server {
  name: ServerName;
  pid: number;
  ca: string;
  /** Where it takes reviews of a kind. */
  url(endpoint: 'validate' | 'mutate', kind: string): string;
}

/** Ours; the same in Go with controller-runtime; and one in Hono on Bun that does nothing. */
export type ServerName = 'drover' | 'controller_runtime' | 'bare_hono';

/** How one is run. */
interface Program {
  name: ServerName;
  command(port: number): string[];
  path(endpoint: string, kind: string): string;
}

/** Runs all of them at once, each kept on the same core, while `use` asks one after the other. */
export async function withServers<T>(use: (servers: Server[]) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'drover-bench-'));
  using lists = serveLists();
  const running = new AsyncDisposableStack();
  try {
    const authority = await prepared(folder, lists.server);
    const servers: Server[] = [];
    for (const program of await programs(folder)) servers.push(await started({ program, folder, authority, running }));
    return await use(servers);
  } finally {
    await running.disposeAsync();
    rmSync(folder, { recursive: true });
  }
}

/** The peer in Go is left out where it cannot be built. */
async function programs(folder: string): Promise<Program[]> {
  const both = [ours(folder), bare(folder)];
  if (canBuildGo) return [...both, goPeer(folder, await builtGo(GO))];
  process.stderr.write(' without the peer in Go, as there is no go on PATH ...');
  return both;
}

const ours = (folder: string): Program => ({
  name: 'drover',
  command: (port) => [
    ...[process.execPath, 'webhook/main.ts', `--address=${HOST}`, `--port=${port}`, '--tls-mode=provided'],
    ...[`--tls-cert-file=${join(folder, 'tls.crt')}`, `--tls-key-file=${join(folder, 'tls.key')}`],
    `--kubeconfig=${join(folder, 'kubeconfig')}`,
  ],
  path: (endpoint) => `/${endpoint}`,
});

const bare = (folder: string): Program => ({
  name: 'bare_hono',
  command: (port) => [process.execPath, join(import.meta.dir, 'peers/bare.ts'), String(port), folder],
  path: (endpoint) => `/${endpoint}`,
});

const goPeer = (folder: string, program: string): Program => ({
  name: 'controller_runtime',
  command: (port) => [program, `--port=${port}`, `--cert-dir=${folder}`],
  path: (endpoint, kind) => `/${endpoint}/${kind}`,
});

interface Start {
  program: Program;
  folder: string;
  authority: Authority;
  running: AsyncDisposableStack;
}

async function started({ program, folder, authority: { ca }, running }: Start): Promise<Server> {
  const { name, command, path } = program;
  const port = await freePort();
  const origin = `https://${HOST}:${port}`;
  const log = Bun.file(join(folder, `${name}.log`));
  const child = Bun.spawn(pinned(CORES.measured, command(port)), { cwd: ROOT, stdout: log, stderr: 'inherit' });
  running.defer(async () => {
    child.kill();
    await child.exited;
  });
  await until(
    `${name} to be ready`,
    async () => {
      if (child.exitCode !== null) throw new Hopeless(`${name} ended:\n${await log.text()}`);
      const answer = await fetch(`${origin}/readyz`, { tls: { ca } }).catch(() => undefined);
      return answer?.ok;
    },
    { timeoutMs: READY_MS },
  );
  return { name, pid: child.pid, ca, url: (endpoint, kind) => origin + path(endpoint, kind) };
}

/** Writes the certificate of all servers, and a kubeconfig for the lists. */
async function prepared(folder: string, server: string): Promise<Authority> {
  const authority = await openAuthority(folder, 'ca');
  const { cert, key } = await authority.issue({ commonName: 'webhook', hosts: [HOST] });
  await Promise.all([Bun.write(join(folder, 'tls.crt'), cert), Bun.write(join(folder, 'tls.key'), key)]);
  await writeKubeconfig(join(folder, 'kubeconfig'), { server, credentials: noCredentials });
  return authority;
}
