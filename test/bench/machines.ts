import { resources } from '../../schemas/kinds.ts';
import { whileCounting } from './counting.ts';
import type { Figures } from './figures.ts';
import { floor, type Sample } from './floor.ts';
import { deploymentIn, sampleOf, scale } from './herd.ts';
import { allCpuSeconds, type Cost, costOf, figuresOf } from './measure.ts';
import { onStage, type Stage } from './stage.ts';
import { memoryMiB } from './usage.ts';

const WARM_UP = { size: 20, leaving: 20 };
const FEW = { size: 200, leaving: 100 };
const MANY = { size: 1_000, leaving: 900 };
const MOST = { size: 5_000, leaving: 100 };
/** How many requests at the same time the bare client tries, and with how many machines. */
const WIDTHS = [8, 16, 32, 64];
const TRIAL = { size: 200, leaving: 200 };

/**
 * Deployments of 200 and of 1,000 machines come up, and 900 of these go again: by a controller with the virtual driver,
 * without latencies, limits and webhook. Before and after the thousand, the floor: a bare client's, of the same size.
 */
export function machinesBench(): Promise<Figures> {
  return onStage(async (stage) => {
    const { sample } = await told('warming up', () => herdCost(stage, WARM_UP));
    const few = await told(`${FEW.size} machines`, () => herdCost(stage, FEW));
    const width = await told('looking for the best floor', () => bestWidth(stage, sample));
    const before = await told('floor', () => floor(stage, sample, { ...MANY, width }));
    const many = await told(`${MANY.size} machines`, () => herdCost(stage, MANY));
    const after = await told('floor again', () => floor(stage, sample, { ...MANY, width }));
    const most = await told(`${MOST.size} machines`, () => herdCost(stage, MOST));
    return {
      [`${FEW.size}_machines`]: herdFigures(few, FEW),
      [`${MANY.size}_machines`]: herdFigures(many, MANY),
      [`${MOST.size}_machines`]: herdFigures(most, MOST),
      floor: { concurrent_requests: width, before: bothWays(before, MANY), after: bothWays(after, MANY) },
      ratio_to_floor: {
        up: ratios(many.up, [before.up, after.up]),
        down: ratios(many.down, [before.down, after.down]),
      },
      apiserver_rss_mib: memoryMiB(stage.cluster.apiserver.pid() ?? 0).now,
    };
  });
}

function told<T>(what: string, work: () => Promise<T>): Promise<T> {
  process.stderr.write(` ${what} ...`);
  return work();
}

/** The number of requests at the same time with which the bare client is fastest here and now. */
async function bestWidth(stage: Stage, sample: Sample): Promise<number> {
  const tries: Array<{ width: number; seconds: number }> = [];
  for (const width of WIDTHS) {
    const { up, down } = await floor(stage, sample, { ...TRIAL, width });
    tries.push({ width, seconds: up.seconds + down.seconds });
  }
  return tries.reduce((best, next) => (next.seconds < best.seconds ? next : best)).width;
}

interface Size {
  size: number;
  leaving: number;
}

const herdFigures = ({ memory, ...costs }: HerdCost, size: Size): Figures => ({
  ...bothWays(costs, size),
  controller_rss_peak_mib: memory.peak,
  controller_rss_mib: memory.now,
});

const bothWays = ({ up, down }: { up: Cost; down: Cost }, { size, leaving }: Size): Figures => ({
  up: figuresOf(up, size),
  down: figuresOf(down, leaving),
});

/** How often the mean of the floors goes into the cost, in time and in CPU time of all processes together. */
function ratios(cost: Cost, floors: readonly Cost[]): Figures {
  const mean = (value: (cost: Cost) => number) => floors.map(value).reduce((sum, one) => sum + one, 0) / floors.length;
  return {
    seconds: cost.seconds / mean(({ seconds }) => seconds),
    cpu_seconds: allCpuSeconds(cost) / mean(allCpuSeconds),
  };
}

/** What a controller took to make machines and to take a part of them away again. */
interface HerdCost {
  up: Cost;
  down: Cost;
  /** Of the controller, in MiB. */
  memory: { peak: number; now: number };
  sample: Sample;
}

/** Starts a controller, lets it make a deployment of `size` machines, and then take `leaving` of them away. */
async function herdCost(stage: Stage, { size, leaving }: { size: number; leaving: number }): Promise<HerdCost> {
  const { cluster, api, pids } = stage;
  return whileCounting(stage, await cluster.namespace('herd'), async ({ namespace, controller, census }) => {
    const place = { api, pids: { controller: controller.pid, ...pids } };
    const up = await costOf(place, async () => {
      await api.create(resources.machineDeployments, deploymentIn(namespace, size));
      await census.running(size);
    });
    const sample = await sampleOf(api, namespace);
    const down = await costOf(place, async () => {
      await scale(api, namespace, size - leaving);
      await census.left(size - leaving);
    });
    const memory = memoryMiB(controller.pid);
    await scale(api, namespace, 0);
    await census.left(0);
    return { up, down, memory, sample };
  });
}
