import { chmodSync, mkdirSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { environment, PROGRAM, USER } from '../../../hack/imagebuild/facts.ts';
import { until } from '../../../hack/lib/until.ts';
import { run } from '../../../hack/tools/run.ts';
import type { Identity } from './controlplane.ts';

const PATIENCE = { timeoutMs: 60_000 };

/** What a container runtime does to a program, with the tools of every Linux: its files are those of the image, and read-only. */
const ENTER = `
root=$1; shift
mount --bind "$root" "$root"
mount --rbind /proc "$root/proc"
mount --rbind /dev "$root/dev"
mount -t tmpfs -o mode=1777 tmp "$root/tmp"
mount -o remount,bind,ro "$root"
[ -z "$ENTERED" ] || date +%s%N >"$ENTERED"
exec chroot --userspec=${USER}:${USER} "$root" "$@"`;

/** Whether this process may do what that takes: root with the right to mount. */
export const canContain =
  process.platform === 'linux' &&
  Bun.spawnSync(['unshare', '--mount', 'mount', '-t', 'tmpfs', 'none', '/mnt']).exitCode === 0;

/** The files of an image, as a container has them. */
export interface Rootfs {
  folder: string;
  /** Puts what kubelet mounts for a ServiceAccount in its place; returns the variables that go with it. */
  serveAs(account: Identity & { token: string }, namespace: string): Promise<Record<string, string>>;
}

/** Unpacks the layers of an image below the folder. */
export async function unpack(archive: string, below: string): Promise<Rootfs> {
  const folder = mkdtempSync(join(below, 'rootfs-'));
  chmodSync(folder, 0o755);
  const [{ Layers: layers }] = JSON.parse(
    await run(['tar', '--extract', '--to-stdout', '--file', archive, 'manifest.json']),
  );
  for (const layer of layers as string[]) {
    const inner = `tar --extract --to-stdout --file "$1" "$2" | tar --extract --gzip --directory "$3"`;
    await run(['sh', '-c', inner, 'sh', archive, layer, folder]);
  }
  for (const name of ['proc', 'dev']) mkdirSync(join(folder, name));
  return { folder, serveAs: (account, namespace) => serveAs(folder, account, namespace) };
}

async function serveAs(folder: string, { connection, token }: Identity & { token: string }, namespace: string) {
  const mounted = join(folder, 'var/run/secrets/kubernetes.io/serviceaccount');
  mkdirSync(mounted, { recursive: true });
  for (const [name, text] of Object.entries({ token, namespace, 'ca.crt': connection.tls?.ca ?? '' }))
    await Bun.write(join(mounted, name), text);
  const { hostname, port } = new URL(connection.server);
  return { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port };
}

/** A program that runs as in a container. */
export interface Contained {
  pid: number;
  /** What it has logged so far, a line each. */
  lines(): Promise<string[]>;
  /** The port that it says it listens on. */
  port(): Promise<number>;
  /** SIGTERM: it ends as a pod does. */
  stop(): Promise<number>;
}

/** What to start, and with which variables beside those of the image. */
export interface Start {
  args: readonly string[];
  env?: Record<string, string>;
  log: string;
  /** A file for the moment at which all else is done and only the program is left to start, in nanoseconds since 1970. */
  entered?: string;
}

/** Starts the image's program in its files, as its user, with nothing else around it. */
export function start({ folder }: Rootfs, { args, env = {}, log, entered = '' }: Start): Contained {
  const command = ['unshare', '--mount', 'sh', '-ec', ENTER, 'sh', folder, PROGRAM, ...args];
  const child = Bun.spawn(command, {
    cwd: '/',
    env: { ...environment, ...env, PATH: `${process.env['PATH']}`, ENTERED: entered },
    stdout: Bun.file(log),
    stderr: Bun.file(`${log}.err`),
  });
  const lines = async () => (await Bun.file(log).text()).split('\n').filter(Boolean);
  return {
    pid: child.pid,
    lines,
    port: () => until('the program to listen', async () => (await lines()).map(portIn).find(Boolean), PATIENCE),
    stop: () => {
      child.kill('SIGTERM');
      return child.exited;
    },
  };
}

function portIn(line: string): number | undefined {
  const { msg, port } = JSON.parse(line) as { msg?: string; port?: number };
  return msg === 'listening' ? port : undefined;
}
