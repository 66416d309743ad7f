import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { find, lastLines, start } from '../lib/daemon.ts';
import { locked } from '../lib/lock.ts';
import { withProgress } from '../lib/progress.ts';
import { sentences } from '../lib/sentences.ts';
import { Hopeless, until } from '../lib/until.ts';
import { cacheFolder } from '../tools/cache.ts';
import { run } from '../tools/run.ts';

/** Runs docker with some words and returns what it printed. Throws a RunError with what it complained about. */
export const docker = (...words: string[]): Promise<string> => run(['docker', ...words]);

/**
 * Makes a docker daemon usable, and says in a sentence why none is; undefined when one is. A daemon that answers is taken
 * as it is. Where there is none, root on Linux gets one: installed by apt-get if need be, and started.
 */
export async function dockerUnavailable(): Promise<string | undefined> {
  try {
    await ensureDocker();
    return undefined;
  } catch (error) {
    return sentences(error);
  }
}

/** As `dockerUnavailable`, but throws the sentence. */
export async function ensureDocker(): Promise<void> {
  const complaint = await complaintOfDocker();
  if (complaint === undefined) return;
  const refusal = refusalToStart({ platform: process.platform, user: process.getuid?.(), env: process.env });
  if (refusal !== undefined) throw new Error(`No docker daemon answers: ${complaint}\n${refusal}`);
  await locked({ file: join(cacheFolder(process.env), 'docker', 'lock') }, async () => {
    if ((await complaintOfDocker()) === undefined) return;
    await installDocker();
    if ((await complaintOfDocker()) !== undefined) await startDaemon(complaintOfDocker);
  });
}

/** What docker says when no daemon answers; undefined when one does. */
async function complaintOfDocker(): Promise<string | undefined> {
  try {
    await docker('info', '--format', '{{.ServerVersion}}');
    return undefined;
  } catch (error) {
    return sentences(error);
  }
}

/** What decides whether a daemon may be started. */
interface Starter {
  platform: NodeJS.Platform;
  user: number | undefined;
  env: Record<string, string | undefined>;
}

/** Why no daemon may be started here, and what to do instead; undefined when one may. */
export function refusalToStart({ platform, user, env }: Starter): string | undefined {
  if (env['DOCKER_HOST']) return `DOCKER_HOST names the daemon ${env['DOCKER_HOST']}: see that it runs, or unset it.`;
  if (platform === 'linux' && user === 0) return undefined;
  return 'Start it, and see that this user may use it; only root on Linux gets one started from here.';
}

/** The number of CAP_SYS_RESOURCE. */
const SYS_RESOURCE = 24n;

/** Whether root has CAP_SYS_RESOURCE, by a text as of `/proc/self/status`; also when the text does not say. */
export function hasSysResource(status: string): boolean {
  const bounding = /^CapBnd:\s*([0-9a-f]+)$/m.exec(status)?.[1];
  return bounding === undefined || ((BigInt(`0x${bounding}`) >> SYS_RESOURCE) & 1n) === 1n;
}

/** Whether root has CAP_SYS_RESOURCE on this machine. */
export const sysResourceHere = (): boolean =>
  !existsSync('/proc/self/status') || hasSysResource(readFileSync('/proc/self/status', 'utf8'));

/** Installs packages of Debian or Ubuntu, for which it takes root. Throws a sentence where there is no apt-get. */
export async function installPackages(...packages: string[]): Promise<void> {
  const names = packages.join(' ');
  if (!Bun.which('apt-get')) throw new Error(`Install ${names} (there is no apt-get to do it), and try again.`);
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  await withProgress(process.stderr, `installing ${names}`, async () => {
    await run(['apt-get', 'update', '--quiet'], { env });
    await run(['apt-get', 'install', '--yes', '--quiet', '--no-install-recommends', ...packages], { env });
  });
}

/** Installs the daemon and its command line where they are missing; newer Debians have that in a package of its own. */
async function installDocker(): Promise<void> {
  if (!Bun.which('dockerd')) await installPackages('docker.io');
  if (!Bun.which('docker')) await installPackages('docker-cli');
}

const DAEMON = 'dockerd';

/**
 * Starts the daemon: by systemd where that runs, else in the background, where it stays. It reads the settings of the
 * machine as ever; only where root lacks CAP_SYS_RESOURCE its containers are run by hack/kind/runtime.sh.
 */
async function startDaemon(complaint: () => Promise<string | undefined>): Promise<void> {
  const folder = join(cacheFolder(process.env), 'docker');
  const folders = { run: folder, log: folder };
  const bySystemd = existsSync('/run/systemd/system');
  if (bySystemd) await run(['systemctl', 'start', 'docker']);
  else
    start(folders, {
      name: DAEMON,
      command: [DAEMON, ...ownPlace(), ...(sysResourceHere() ? [] : lesserRuntime(folder))],
    });
  const answers = async () => {
    if ((await complaint()) === undefined) return true;
    if (bySystemd || find(folders, DAEMON)) return false;
    throw new Hopeless(`dockerd ended at once; the end of ${folder}/${DAEMON}.log:\n${lastLines(folders, DAEMON)}`);
  };
  await until('the docker daemon to answer', answers, { timeoutMs: 60_000 });
  const pid = find(folders, DAEMON);
  if (pid) process.stderr.write(`started dockerd, which stays until you end it: kill ${pid}\n`);
}

/** Flags for a place that nothing is in: what a daemon that was killed has left would be taken for one that runs. */
function ownPlace(): string[] {
  const place = mkdtempSync('/run/drover-docker-');
  return [`--pidfile=${place}/dockerd.pid`, `--exec-root=${place}/exec`];
}

/** Flags for the runtime that does without CAP_SYS_RESOURCE; a copy of it, for the daemon outlives any checkout. */
function lesserRuntime(folder: string): string[] {
  const path = join(folder, 'runtime.sh');
  mkdirSync(folder, { recursive: true });
  copyFileSync(join(import.meta.dir, 'runtime.sh'), path);
  return [`--add-runtime=lesser=${path}`, '--default-runtime=lesser'];
}
