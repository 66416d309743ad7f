import type { Api } from '../../controller/runtime/client/api.ts';
import { pods } from '../../controller/runtime/k8s/workload.ts';
import { LABEL_NODE } from '../../schemas/keys.ts';
import { resources } from '../../schemas/kinds.ts';
import { whileCounting } from './counting.ts';
import type { Figures } from './figures.ts';
import { deploymentIn, HERD, scale } from './herd.ts';
import { type Cost, costOf, figuresOf } from './measure.ts';
import { onStage, type Stage } from './stage.ts';
import { memoryMiB } from './usage.ts';

const NODES = 100;
const PODS_OF_A_NODE = 10;
/** How many pods are made at the same time. */
const WIDTH = 32;

/**
 * 100 machines go at once, first with nothing on their Nodes, then with 1,000 pods, that the virtual driver's kubelets end as soon as
 * they are evicted: by a controller without limits and webhook, on a control plane of its own.
 */
export function drainBench(): Promise<Figures> {
  return onStage(async (stage) => {
    const empty = await leave(stage, 0);
    const full = await leave(stage, PODS_OF_A_NODE);
    const count = NODES * PODS_OF_A_NODE;
    return {
      [`${NODES}_empty_nodes`]: figuresOf(empty.cost, NODES),
      [`${NODES}_nodes_of_${count}_pods`]: {
        ...figuresOf(full.cost, NODES),
        pods_per_second: count / full.cost.seconds,
        controller_cpu_milliseconds_per_pod: (1_000 * (cpuOf(full.cost) - cpuOf(empty.cost))) / count,
        controller_rss_peak_mib: full.peakMiB,
      },
      seconds_to_empty: full.cost.seconds / empty.cost.seconds,
    };
  });
}

const cpuOf = ({ cpuSeconds }: Cost): number => cpuSeconds['controller'] ?? 0;

/** What it takes until so many machines, with so many pods on each Node, are gone. */
async function leave(stage: Stage, podsOfANode: number): Promise<{ cost: Cost; peakMiB: number }> {
  const { cluster, api, pids } = stage;
  return whileCounting(stage, await cluster.namespace('drain'), async ({ namespace, controller, census }) => {
    await api.create(resources.machineDeployments, deploymentIn(namespace, NODES));
    await census.running(NODES);
    await fill(api, namespace, podsOfANode);
    const place = { api, pids: { controller: controller.pid, ...pids } };
    const cost = await costOf(place, async () => {
      await scale(api, namespace, 0);
      await census.left(0);
    });
    const { items } = await api.list(pods, { namespace });
    if (items.length > 0) throw new Error(`${items.length} pods were left behind in ${namespace}`);
    return { cost, peakMiB: memoryMiB(controller.pid).peak };
  });
}

/** Binds so many pods to the Node of each machine of the herd. */
async function fill(api: Api, namespace: string, podsOfANode: number): Promise<void> {
  const { items } = await api.list(resources.machines, { namespace });
  const names = items.map(({ metadata }) => metadata.labels?.[LABEL_NODE] ?? '');
  const all = names.flatMap((node) => Array.from({ length: podsOfANode }, (_, at) => podOn(node, `${node}-${at}`)));
  const next = all[Symbol.iterator]();
  const worker = async () => {
    for (const pod of next) await api.create(pods, { ...pod, metadata: { ...pod.metadata, namespace } });
  };
  await Promise.all(Array.from({ length: WIDTH }, worker));
}

const podOn = (nodeName: string, name: string) => ({
  metadata: { name, labels: { app: HERD } },
  spec: { nodeName, automountServiceAccountToken: false, containers: [{ name: 'c', image: 'none' }] },
});
