import type { Connections } from './connections.ts';
import type { RunningDriver } from './driver.ts';
import type { DriverParts } from './drivers/index.ts';
import type { Environment } from './environment.ts';
import type { Random } from './runtime/random.ts';
import type { Vitals } from './runtime/vitals.ts';

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
