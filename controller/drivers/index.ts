import { marksHot } from '../../schemas/hotpart.ts';
import { assertWithinBounds } from '../../schemas/providers/bounds.ts';
import { capabilityFaults } from '../../schemas/providers/capabilities.ts';
import type { Api } from '../runtime/client/api.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Log } from '../runtime/observability/log.ts';
import type { Metrics } from '../runtime/observability/metrics.ts';
import type { Random } from '../runtime/random.ts';
import type { Driver, RunningDriver } from './sdk/driver.ts';
import type { DriverTargets } from './sdk/targets.ts';
import { ClusterStore } from './virtual/cluster.ts';
import { virtualDriver } from './virtual/driver.ts';
import { memoryStore } from './virtual/memory.ts';

/** What drivers may need of the controller. */
export interface DriverParts {
  /** Where Nodes join. */
  targets: DriverTargets;
  /** The control cluster. */
  control: Api;
  clock: Clock;
  random: Random;
  log: Log;
  metrics: Metrics;
  /** `--virtual-store` */
  virtualStore: 'cluster' | 'memory';
  /** Names of those that are wanted (`--drivers`). */
  wanted: readonly string[];
}

/**
 * The drivers that are wanted by name: the `provider` of the classes that it serves. A new one is one more entry here, and one in
 * schemas/providers/index.ts for the webhook. Throws as {@link registered} does.
 */
export function drivers({
  targets,
  control,
  virtualStore,
  wanted,
  ...parts
}: DriverParts): ReadonlyMap<string, RunningDriver> {
  const api = targets.home ?? control;
  const store = virtualStore === 'memory' ? memoryStore() : new ClusterStore({ ...parts, api });
  const all = [virtualDriver({ ...parts, api, targets, store })];
  return registered(all.filter(({ name }) => wanted.includes(name)));
}

/**
 * Drivers by name. Throws an Error for one whose JSON Schema is beyond the bounds, since the webhook could not take it,
 * for one that marks fields hot and cannot update a VM, and for one that publishes other capabilities than it has methods for.
 */
export function registered<D extends Driver>(all: readonly D[]): ReadonlyMap<string, D> {
  for (const driver of all) {
    const { name, providerSpec, nodeTemplate = {}, capabilities = [] } = driver;
    assertWithinBounds(`providerSpec of driver ${name}`, providerSpec);
    assertWithinBounds(`nodeTemplate of driver ${name}`, nodeTemplate);
    if (marksHot(providerSpec) && !driver.updateMachine)
      throw new Error(
        `driver ${name} marks fields with x-drover-hot-update, and has no updateMachine to bring VMs to them`,
      );
    const [fault] = capabilityFaults(capabilities, (method) => Reflect.get(driver, method) !== undefined);
    if (fault !== undefined) throw new Error(`driver ${name} ${fault}`);
  }
  return new Map(all.map((driver) => [driver.name, driver]));
}
