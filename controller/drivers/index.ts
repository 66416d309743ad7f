import type { RunningDriver } from '../driver.ts';
import type { Api } from '../runtime/api.ts';
import type { Cache } from '../runtime/cache.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Node } from '../runtime/core.ts';
import type { Log } from '../runtime/log.ts';
import type { Metrics } from '../runtime/metrics.ts';
import type { Random } from '../runtime/random.ts';
import { ClusterStore } from './virtual/cluster.ts';
import { virtualDriver } from './virtual/driver.ts';
import { memoryStore } from './virtual/memory.ts';

/** What drivers may need of the controller. */
export interface DriverParts {
  /** The target cluster, where Nodes join, and a cache of its Nodes that somebody else keeps running. */
  target: { api: Api; nodes: Cache<Node> };
  clock: Clock;
  random: Random;
  log: Log;
  metrics: Metrics;
  /** `--virtual-store` */
  virtualStore: 'cluster' | 'memory';
}

/** Every driver by name: the `provider` of the classes that it serves. A new one is one more entry here. */
export function drivers({ target, virtualStore, ...parts }: DriverParts): ReadonlyMap<string, RunningDriver> {
  const store = virtualStore === 'memory' ? memoryStore() : new ClusterStore({ ...parts, api: target.api });
  const all = [virtualDriver({ ...parts, ...target, store })];
  return new Map(all.map((driver) => [driver.name, driver]));
}
