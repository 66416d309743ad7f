import { findCluster, loadImage, startCluster, stopCluster } from '../kind/cluster.ts';
import { type Asked, help, readOptions } from '../kind/options.ts';
import { answer } from '../lib/command.ts';
import { withProgress } from '../lib/progress.ts';
import { linkPrograms, place } from '../localcluster/place.ts';
import { findTools } from '../tools/find.ts';

/** `./hack/cluster up|load|down`: a cluster of kind on this machine. */

const screen = process.stdout;

async function up({ name, ...options }: Asked & { do: 'up' }): Promise<void> {
  const found = await findCluster(name);
  const cluster = found ?? (await startCluster({ ...options, name, keep: true }));
  screen.write(`The cluster ${cluster.name} ${found ? 'is there already' : 'is up'}. To use it:\n\n`);
  linkPrograms({ kubectl: cluster.kubectl, ...(await findTools(['helm'])) });
  screen.write(`  export KUBECONFIG="${cluster.kubeconfig}" PATH="${place.bin}:$PATH"\n\n`);
}

async function load({ name, archives }: Asked & { do: 'load' }): Promise<void> {
  const cluster = await theCluster(name);
  for (const archive of archives) {
    await withProgress(screen, `loading ${archive} into ${name}`, () => loadImage(cluster, archive));
  }
}

async function down({ name }: Asked & { do: 'down' }): Promise<void> {
  const cluster = await theCluster(name);
  await withProgress(screen, `removing ${name}`, () => stopCluster(cluster));
}

async function theCluster(name: string): ReturnType<typeof startCluster> {
  const cluster = await findCluster(name);
  if (cluster) return cluster;
  throw new Error(`There is no cluster ${name} that was made here; ./hack/cluster up --name ${name} makes it.`);
}

/** Does what is asked for. */
export async function run(words: readonly string[]): Promise<number> {
  const asked = readOptions(words);
  if (asked.do === 'help' || asked.do === 'refuse') return answer(asked, help);
  await (asked.do === 'up' ? up(asked) : asked.do === 'load' ? load(asked) : down(asked));
  return 0;
}
