import { noCredentials } from '../../controller/runtime/client/connection.ts';
import { secrets } from '../../controller/runtime/k8s/core.ts';
import { kubeconfigOf } from '../../hack/controlplane/kubeconfig.ts';
import { LABEL_CLUSTER } from '../../schemas/keys.ts';
import { resources } from '../../schemas/kinds.ts';
import { startController } from '../api/support/controllerprocess.ts';
import { type Census, openCensus } from './census.ts';
import type { Figures } from './figures.ts';
import { classIn, deploymentIn, FLAGS } from './herd.ts';
import { Mirror } from './mirror.ts';
import { onStage, type Stage } from './stage.ts';
import { startTargets, type Targets } from './targets.ts';
import { cpuUsed, memoryMiB } from './usage.ts';

const CLUSTERS = 40;
const MACHINES = 250;
/** These clusters hang in the second of three rounds. */
const AWAY = 5;
/** The last status of owners and Nodes follows the last Machine that runs. */
const SETTLE_MS = 10_000;

interface Scene extends Stage {
  namespace: string;
  targets: Targets;
  census: Census;
  mirror: Mirror;
  pid: number;
}

/** One controller and many target clusters: what each of them costs, and what those that are away cost the others. */
export const clustersBench = (): Promise<Figures> =>
  onStage(async (stage) => {
    using targets = await startTargets(CLUSTERS);
    const namespace = await stage.cluster.namespace('clusters');
    const over = new AbortController();
    const controller = await startController({ cluster: stage.cluster, namespace, flags: FLAGS });
    try {
      await controller.working();
      const census = await openCensus(stage.api, namespace, over.signal);
      const named = targets.servers.map((server, index) => ({ name: nameOf(index), server }));
      const mirror = await Mirror.open({ api: stage.api, namespace, targets: named, signal: over.signal });
      const scene = { ...stage, namespace, targets, census, mirror, pid: controller.pid };
      const before = memoryMiB(controller.pid).now;
      return { ...(await grown(scene, before)), ...(await disturbed(scene)) };
    } finally {
      over.abort();
      await controller.stop();
    }
  });

/** Clusters without machines, and then with all of them. */
async function grown(scene: Scene, before: number): Promise<Figures> {
  const { api, namespace, targets, census, pid } = scene;
  const names = targets.servers.map((_, index) => nameOf(index));
  await Promise.all(names.map((name, index) => makeCluster(scene, name, targets.servers[index] ?? '')));
  await reachable(scene, CLUSTERS);
  const empty = memoryMiB(pid).now;
  await api.create(resources.machineClasses, classIn(namespace));
  const [began, cpu] = [performance.now(), cpuUsed(pid)];
  await Promise.all(names.map((name) => api.create(resources.machineDeployments, deploymentOf(namespace, name))));
  await census.running(CLUSTERS * MACHINES);
  const seconds = (performance.now() - began) / 1000;
  const used = cpuUsed(pid) - cpu;
  await Bun.sleep(SETTLE_MS);
  const { now, peak } = memoryMiB(pid);
  const watches = (await targets.counts()).reduce((sum, count) => sum + count.watches, 0);
  return {
    clusters: CLUSTERS,
    machines: CLUSTERS * MACHINES,
    up_seconds: seconds,
    controller_cpu_seconds_up: used,
    controller_rss_mib: { without_clusters: before, with_empty_clusters: empty, with_all_machines: now, peak },
    rss_mib_per_cluster: { empty: (empty - before) / CLUSTERS, with_its_machines: (now - before) / CLUSTERS },
    watches_per_cluster: watches / CLUSTERS,
  };
}

/** The same changes three times; in the second round some clusters hang, from its beginning on. */
async function disturbed(scene: Scene): Promise<Figures> {
  const { targets, mirror } = scene;
  const round = { measured: range(AWAY, CLUSTERS), beside: range(0, AWAY) };
  const before = await mirror.latencies(round);
  await targets.hang(round.beside);
  const during = await mirror.latencies(round);
  await targets.hang([]);
  await reachable(scene, CLUSTERS);
  const after = await mirror.latencies(round);
  const mean = (figure: 'p50' | 'p99') => (before[figure] + after[figure]) / 2;
  return {
    milliseconds_from_node_to_machine: { before: { ...before }, [`${AWAY}_away`]: { ...during }, after: { ...after } },
    ratio_of_the_others: { p50: during.p50 / mean('p50'), p99: during.p99 / mean('p99') },
  };
}

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, at) => from + at);

const nameOf = (index: number): string => `target-${index}`;

async function makeCluster({ api, namespace }: Scene, name: string, server: string): Promise<void> {
  const kubeconfig = await kubeconfigOf({ server, credentials: noCredentials });
  const data = { kubeconfig: Buffer.from(kubeconfig).toString('base64') };
  await api.create(secrets, { metadata: { namespace, name }, data });
  const spec = { kubeconfigSecretRef: { name } };
  await api.create(resources.clusters, {
    apiVersion: 'drover.dev/v1alpha1',
    kind: 'Cluster',
    metadata: { namespace, name },
    spec,
  });
}

/** Waits until the controller says of so many Clusters that they answer. */
async function reachable({ api, namespace }: Scene, count: number): Promise<void> {
  for (;;) {
    const { items } = await api.list(resources.clusters, { namespace });
    const answer = items.filter(({ status }) =>
      status?.conditions?.some(({ type, status }) => type === 'Reachable' && status === 'True'),
    );
    if (answer.length >= count) return;
    await Bun.sleep(500);
  }
}

function deploymentOf(namespace: string, cluster: string) {
  const { spec, metadata, ...rest } = deploymentIn(namespace, MACHINES);
  const labels = { herd: cluster, [LABEL_CLUSTER]: cluster };
  return {
    ...rest,
    metadata: { ...metadata, name: cluster, labels: { [LABEL_CLUSTER]: cluster } },
    spec: {
      ...spec,
      selector: { matchLabels: { herd: cluster } },
      template: { ...spec?.template, metadata: { labels } },
    },
  };
}
