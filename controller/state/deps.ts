import type { Cluster } from '../../schemas/cluster.ts';
import type { DriverParts } from '../drivers/index.ts';
import type { Driver, RunningDriver } from '../drivers/sdk/driver.ts';
import type { Connections } from '../framework/connections.ts';
import type { Environment } from '../framework/environment.ts';
import type { Host } from '../nodes/host.ts';
import type { Api } from '../runtime/client/api.ts';
import type { Connection } from '../runtime/client/connection.ts';
import type { Events } from '../runtime/events/events.ts';
import type { Reach } from '../runtime/health/probe.ts';
import type { Vitals } from '../runtime/program/vitals.ts';
import type { Random } from '../runtime/random.ts';
import type { Gates } from '../safety/outage/gate.ts';
import type { TargetCluster } from '../targets/cluster.ts';
import type { TargetPool } from '../targets/pool.ts';
import type { Caches } from './caches.ts';
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
  openCluster(cluster: Cluster, connection: Connection): TargetCluster;
  drivers: ReadonlyMap<string, Driver>;
  events: Events;
  incarnation: string;
  /** The Node that this process runs on. */
  host: Host | undefined;
  signal: AbortSignal;
}

/** What a controller process is made of. */
export interface Process extends Environment {
  connections: Connections;
  /** Chance that nobody can guess, for secrets. */
  secureRandom: Random;
  /** Is told what stands still; absent where nobody asks. */
  vitals?: Vitals;
  /** Which of several replicas this is: unique to the process. */
  identity: string;
  /** Makes the drivers, by the name of the provider that each serves. */
  makeDrivers(parts: DriverParts): ReadonlyMap<string, RunningDriver>;
}
