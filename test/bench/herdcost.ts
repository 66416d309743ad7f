import { resources } from '../../schemas/kinds.ts';
import { whileCounting } from './counting.ts';
import type { Sample } from './floor.ts';
import { deploymentIn, sampleOf, scale } from './herd.ts';
import { type Cost, costOf } from './measure.ts';
import type { Stage } from './stage.ts';
import { memoryMiB } from './usage.ts';

/** What a controller took to make machines and to take a part of them away again. */
export interface HerdCost {
  up: Cost;
  down: Cost;
  /** Of the controller, in MiB. */
  memory: { peak: number; now: number };
  sample: Sample;
}

/** Starts a controller, lets it make a deployment of `size` machines, and then take `leaving` of them away. */
export async function herdCost(stage: Stage, { size, leaving }: { size: number; leaving: number }): Promise<HerdCost> {
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
