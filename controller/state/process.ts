import type { DriverParts } from '../drivers/index.ts';
import type { RunningDriver } from '../drivers/sdk/driver.ts';
import type { Connections } from '../framework/connections.ts';
import type { Environment } from '../framework/environment.ts';
import type { Vitals } from '../runtime/program/vitals.ts';
import type { Random } from '../runtime/random.ts';

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
