import { totalmem } from 'node:os';
import type { ControllerSettings } from '../../schemas/config/controller.ts';
import type { RoomBounds } from '../runtime/room/cacheroom.ts';

const MIB = 1 << 20;

/**
 * The part of the process's memory that caches of Clusters have unless a setting says otherwise (hack/decisions/0034). Beside them come a
 * second copy of what a list under way replaces, what was read and is not collected yet, and all that is no Cluster's.
 */
const PART = 5 / 16;

/** And the part that answers and lines of their servers have that are not whole yet: what is parsed takes several times as much. */
const UNDERWAY = 1 / 8;

/** Names the memory that the process may use, in bytes; the chart sets it to the limit of the container. */
const LIMIT = 'BUN_JSC_forceRAMSize';

/** How much memory the process may use, in bytes: what its environment, its control group and the machine allow. */
export const memoryOf = ({ env, constrainedMemory }: Pick<NodeJS.Process, 'env' | 'constrainedMemory'>): number =>
  Math.min(Number(env[LIMIT]) || Infinity, constrainedMemory() || Infinity, totalmem());

/** What the caches of Clusters may hold. @param memory that the process may use, in bytes */
export function cacheBounds(
  settings: Pick<ControllerSettings, 'clusterCacheMib' | 'allClustersCacheMib' | 'namespace'>,
  memory: number,
): RoomBounds {
  const { clusterCacheMib, allClustersCacheMib, namespace } = settings;
  const all = allClustersCacheMib > 0 ? allClustersCacheMib * MIB : Math.floor(memory * PART);
  return { all, each: clusterCacheMib * MIB, shared: namespace === '' };
}

/** What answers of the servers of Clusters may hold that are under way. @param memory that the process may use, in bytes */
export function answerBounds({ namespace }: Pick<ControllerSettings, 'namespace'>, memory: number): RoomBounds {
  const all = Math.floor(memory * UNDERWAY);
  return { all, each: all, shared: namespace === '' };
}
