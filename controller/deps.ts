import type { Cluster } from '../schemas/cluster.ts';
import type { Caches } from './caches.ts';
import type { Driver } from './driver.ts';
import type { Host } from './host.ts';
import type { OpenedTarget } from './openedtarget.ts';
import type { Process } from './process.ts';
import type { Api } from './runtime/api.ts';
import type { Connection } from './runtime/connection.ts';
import type { Events } from './runtime/events.ts';
import type { Reach } from './runtime/reach.ts';
import type { Gates } from './safety/gates.ts';
import type { TargetPool } from './targetpool.ts';
import type { Queues } from './triggers.ts';

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
