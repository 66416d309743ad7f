import type { Cluster } from '../../schemas/cluster.ts';
import type { Driver } from '../drivers/sdk/driver.ts';
import type { Host } from '../nodes/host.ts';
import type { Api } from '../runtime/client/api.ts';
import type { Connection } from '../runtime/client/connection.ts';
import type { Events } from '../runtime/events/events.ts';
import type { Reach } from '../runtime/health/probe.ts';
import type { Gates } from '../safety/outage/gates.ts';
import type { OpenedTarget } from '../targets/cluster.ts';
import type { TargetPool } from '../targets/pool.ts';
import type { Caches } from './caches.ts';
import type { Process } from './process.ts';
import type { Queues } from './watches.ts';

/** What the loops of one term of leadership share. */
export interface LoopParts extends Process {
  api: Api;
  /** Whether the control API server answers. */
  reach: Reach;
  gates: Gates;
  caches: Caches;
  queues: Queues;
  targets: TargetPool;
  /** Opens the target that a Cluster describes. */
  openCluster(cluster: Cluster, connection: Connection): OpenedTarget;
  drivers: ReadonlyMap<string, Driver>;
  events: Events;
  incarnation: string;
  /** The Node that this process runs on. */
  host: Host | undefined;
  signal: AbortSignal;
}
