import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { markOf } from '../lib/daemon.ts';
import { locked } from '../lib/lock.ts';
import { withProgress } from '../lib/progress.ts';
import { cacheFolder } from '../tools/cache.ts';
import { findTools } from '../tools/find.ts';
import { run } from '../tools/run.ts';
import { defaultKubernetes } from '../tools/table.ts';
import { clusterConfig, type IpFamily } from './config.ts';
import { docker, ensureDocker, sysResourceHere } from './docker.ts';
import { nodeImageFor } from './nodeimage.ts';

/** A cluster of kind that runs. */
export interface KindCluster {
  name: string;
  /** Path of an administrator's kubeconfig, in a folder of its own. */
  kubeconfig: string;
  /** Path of the program that made the cluster. */
  kind: string;
  /** Path of a kubectl of the cluster's version. */
  kubectl: string;
}

interface ClusterOptions {
  /** `drover-e2e` unless said; where a cluster of that name is in use, the first of `<name>-2`, `<name>-3` … that is not. */
  name?: string;
  /** Nodes beside the one of the control plane; 2 unless said. */
  workers?: number;
  ipFamily?: IpFamily;
  /** A version of hack/tools/table.ts. */
  kubernetes?: string;
  /** The cluster outlives this process. Else it counts as left over when this process has ended, and its name is free. */
  keep?: boolean;
}

/** How long all Nodes and CoreDNS may take until they are ready. */
const READY_SECONDS = '180';

const home = (): string => join(cacheFolder(process.env), 'clusters');

/**
 * Makes a cluster, and waits until its Nodes are Ready and names are resolved there. A Docker daemon and a node image are
 * made first where they are missing, which takes minutes the first time. Throws a sentence, and leaves no cluster then.
 */
export async function startCluster(options: ClusterOptions = {}): Promise<KindCluster> {
  await ensureDocker();
  const kubernetes = options.kubernetes ?? defaultKubernetes;
  const image = await nodeImageFor(kubernetes);
  const tools = await findTools(['kind', 'kubectl'], { kubernetes });
  const onWait = () => process.stderr.write('waiting for another run that makes a cluster\n');
  return locked({ file: join(home(), 'lock'), onWait }, async () => {
    const name = await freeName(options.name ?? 'drover-e2e', tools.kind);
    const cluster = { ...tools, name, kubeconfig: join(home(), name, 'kubeconfig') };
    mkdirSync(join(home(), name), { recursive: true });
    // Until it is whole it is nobody else's to find; what an interrupted call leaves is removed by the next.
    own(join(home(), name));
    await withProgress(process.stderr, `cluster ${name}`, () => create(cluster, image, options));
    if (options.keep) disown(join(home(), name));
    return cluster;
  });
}

/** The cluster that an earlier call made under a name; undefined when there is none. */
export async function findCluster(name: string): Promise<KindCluster | undefined> {
  await ensureDocker();
  const tools = await findTools(['kind', 'kubectl']);
  const kubeconfig = join(home(), name, 'kubeconfig');
  const runs = existsSync(kubeconfig) && (await namesOf(tools.kind)).includes(name);
  return runs ? { ...tools, name, kubeconfig } : undefined;
}

const namesOf = async (kind: string): Promise<string[]> =>
  (await run([kind, 'get', 'clusters', '--quiet'])).trim().split('\n');

/** The first of a name and its successors that no cluster in use has; a cluster that was left over is removed. */
async function freeName(wanted: string, kind: string): Promise<string> {
  const taken = await namesOf(kind);
  for (let count = 1; ; count++) {
    const name = count === 1 ? wanted : `${wanted}-${count}`;
    const isLeft = isOwned(join(home(), name)) === 'no more';
    if (isLeft) await stopCluster({ name, kind });
    if (isLeft || !taken.includes(name)) return name;
  }
}

async function create(cluster: KindCluster, image: string, options: ClusterOptions): Promise<void> {
  const { workers = 2, ipFamily = 'ipv4' } = options;
  const cgroupV1 = (await docker('info', '--format', '{{.CgroupVersion}}')).trim() === '1';
  const config = clusterConfig({ workers, ipFamily, cgroupV1, restrictedOomScores: !sysResourceHere() });
  raiseInotifyLimit();
  const file = join(home(), cluster.name, 'config.json');
  await Bun.write(file, JSON.stringify(config, undefined, 2));
  try {
    const flags = ['--name', cluster.name, '--image', image, '--config', file, '--kubeconfig', cluster.kubeconfig];
    await run([cluster.kind, 'create', 'cluster', '--retain', ...flags]);
    await untilReady(cluster);
  } catch (error) {
    const logs = join(home(), `${cluster.name}.logs`);
    await run([cluster.kind, 'export', 'logs', '--quiet', '--name', cluster.name, logs]).catch(() => undefined);
    await stopCluster(cluster);
    const what = `The cluster ${cluster.name} could not be made of ${image}; what its nodes logged is in ${logs}.`;
    throw new Error(`${what}${adviceFor(error)}`, { cause: error });
  }
}

async function untilReady(cluster: KindCluster): Promise<void> {
  const wait = (...words: string[]) => kubectl(cluster, 'wait', `--timeout=${READY_SECONDS}s`, ...words);
  await wait('--for=condition=Ready', 'nodes', '--all');
  await wait('--namespace=kube-system', '--for=condition=Available', 'deployment/coredns');
}

/** Runs kubectl as the cluster's administrator and returns what it printed. Throws a RunError with its complaint. */
export const kubectl = (cluster: Pick<KindCluster, 'kubectl' | 'kubeconfig'>, ...words: string[]): Promise<string> =>
  run([cluster.kubectl, '--kubeconfig', cluster.kubeconfig, ...words]);

/** What to do about what kind complained of, where that is known. */
const adviceFor = (error: unknown): string =>
  /unable to apply caps/.test(String(error))
    ? ' This machine lacks CAP_SYS_RESOURCE, without which docker runs no privileged container: stop its docker daemon, and one that can is started here.'
    : '';

/** Brings the images of an archive, as `docker save` and ./hack/image write one, to all nodes of a cluster. */
export async function loadImage({ name, kind }: Pick<KindCluster, 'name' | 'kind'>, archive: string): Promise<void> {
  await run([kind, 'load', 'image-archive', '--quiet', '--name', name, archive]);
}

/** Removes a cluster with all that it holds; also one that is not there any more. */
export async function stopCluster({ name, kind }: Pick<KindCluster, 'name' | 'kind'>): Promise<void> {
  const kubeconfig = join(home(), name, 'kubeconfig');
  await run([kind, 'delete', 'cluster', '--quiet', '--name', name, '--kubeconfig', kubeconfig]);
  rmSync(join(home(), name), { recursive: true, force: true });
}

const INOTIFY_LIMIT = '/proc/sys/fs/inotify/max_user_instances';

/** What two clusters of some nodes take; each node about thirty. */
const ENOUGH_INSTANCES = 512;

/**
 * Lets all users together watch more files, as kind's own advice is: with the 128 that many machines allow, the second
 * cluster's programs die of "too many open files". Only root may; for others the limit stays what it is.
 */
function raiseInotifyLimit(): void {
  if (process.getuid?.() !== 0 || !existsSync(INOTIFY_LIMIT)) return;
  const allowed = Number(readFileSync(INOTIFY_LIMIT, 'utf8'));
  if (allowed >= ENOUGH_INSTANCES) return;
  process.stderr.write(`raising fs.inotify.max_user_instances from ${allowed} to ${ENOUGH_INSTANCES}\n`);
  writeFileSync(INOTIFY_LIMIT, String(ENOUGH_INSTANCES));
}

const ownerFile = (folder: string): string => join(folder, 'owner');

/** Notes that what a folder stands for ends with this process. */
export function own(folder: string): void {
  writeFileSync(ownerFile(folder), `${process.pid}\n${markOf(process.pid) ?? ''}\n`);
}

/** Notes that it ends with no process. */
export const disown = (folder: string): void => rmSync(ownerFile(folder), { force: true });

/** Whether the process that owns what a folder stands for still runs; `never` when none ever did. */
export function isOwned(folder: string): 'yes' | 'no more' | 'never' {
  if (!existsSync(ownerFile(folder))) return 'never';
  const [pid, mark] = readFileSync(ownerFile(folder), 'utf8').split('\n');
  return mark && markOf(Number(pid)) === mark ? 'yes' : 'no more';
}
