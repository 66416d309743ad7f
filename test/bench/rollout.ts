import type { Api } from '../../controller/runtime/client/api.ts';
import { resources } from '../../schemas/kinds.ts';
import type { MachineDeployment } from '../../schemas/machinedeployment.ts';
import { whileCounting } from './counting.ts';
import type { Figures } from './figures.ts';
import { rolloutFloor, type Sample } from './floor.ts';
import { deploymentIn, HERD, sampleOf, scale } from './herd.ts';
import { allCpuSeconds, type Cost, costOf, figuresOf } from './measure.ts';
import { onStage, type Stage } from './stage.ts';
import { memoryMiB } from './usage.ts';

const WARM_UP = 20;
const SIZES = [100, 500];
/** The part of all machines that may be there beside them. */
const SURGE = 0.1;
/** What the new template's machines carry. */
const ROUND = { round: '2' };

interface Rollout {
  cost: Cost;
  peakMiB: number;
  sample: Sample;
}

/**
 * Deployments of 100 and of 500 machines are rolled to a new template with maxSurge 10 % and maxUnavailable 0, by a controller
 * without latencies, limits and webhook, whose Nodes are Ready at once. Before and after each the floor: a bare client's
 * writes for the same, with as many machines at a time.
 */
export function rolloutBench(): Promise<Figures> {
  return onStage(async (stage) => {
    const { sample } = await roll(stage, WARM_UP);
    await rolloutFloor(stage, sample, floorSize(WARM_UP));
    const figures: Record<string, Figures> = {};
    for (const size of SIZES) figures[`${size}_machines`] = await besideFloor(stage, sample, size);
    return figures;
  });
}

const floorSize = (size: number) => ({ size, width: size * SURGE });

async function besideFloor(stage: Stage, sample: Sample, size: number): Promise<Figures> {
  process.stderr.write(` ${size} machines ...`);
  const before = await rolloutFloor(stage, sample, floorSize(size));
  const { cost, peakMiB } = await roll(stage, size);
  const after = await rolloutFloor(stage, sample, floorSize(size));
  const mean = (value: (cost: Cost) => number) => (value(before) + value(after)) / 2;
  return {
    controller: { ...rolloutFigures(cost, size), controller_rss_peak_mib: peakMiB },
    floor: { before: rolloutFigures(before, size), after: rolloutFigures(after, size) },
    ratio_to_floor: {
      seconds: cost.seconds / mean(({ seconds }) => seconds),
      cpu_seconds: allCpuSeconds(cost) / mean(allCpuSeconds),
      writes: written(cost) / mean(written),
    },
  };
}

/** Writes by resource and verb, for each machine that was replaced, and all of them together. */
function rolloutFigures(cost: Cost, size: number): Figures {
  const each = Object.entries(cost.writes).map(([name, count]): [string, number] => [name, count / size]);
  const kinds = { ...Object.fromEntries(each), all: written(cost) / size };
  return { ...figuresOf(cost, size), writes_per_machine: kinds };
}

const written = ({ writes }: Cost): number => Object.values(writes).reduce((sum, count) => sum + count, 0);

/** Brings so many machines up and rolls them once. */
async function roll(stage: Stage, size: number): Promise<Rollout> {
  const { cluster, api, pids } = stage;
  return whileCounting(stage, await cluster.namespace('rollout'), async ({ namespace, controller, census }) => {
    await api.create(resources.machineDeployments, rollingIn(namespace, size));
    await census.running(size);
    const sample = await sampleOf(api, namespace);
    const cost = await costOf({ api, pids: { controller: controller.pid, ...pids } }, async () => {
      await changeTemplate(api, namespace);
      await census.replaced(size, ROUND);
    });
    const peakMiB = memoryMiB(controller.pid).peak;
    await scale(api, namespace, 0);
    await census.left(0);
    return { cost, peakMiB, sample };
  });
}

function rollingIn(namespace: string, replicas: number): MachineDeployment {
  const { spec, ...deployment } = deploymentIn(namespace, replicas);
  const rollingUpdate = { maxSurge: `${100 * SURGE}%`, maxUnavailable: 0 };
  return { ...deployment, spec: { ...spec, strategy: { type: 'RollingUpdate', rollingUpdate } } };
}

const changeTemplate = (api: Api, namespace: string) =>
  api.patch(
    resources.machineDeployments,
    { namespace, name: HERD },
    { type: 'merge', body: { spec: { template: { metadata: { labels: ROUND } } } } },
  );
