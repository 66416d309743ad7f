import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import type { MachineClass } from '../../schemas/machineclass.ts';
import type { MachineDeployment } from '../../schemas/machinedeployment.ts';
import type { MachineSet } from '../../schemas/machineset.ts';
import type { Provider } from '../providers/provider.ts';

/**
 * What a rule may know beside the object: the time, and what else is in the object's namespace. It is read from a cache,
 * which may be stale: a rule over it only warns, or denies in such a way that a retry helps.
 */
export interface Facts {
  /** Time of the review, milliseconds since the epoch. */
  readonly now: number;
  /** A class by its name. */
  machineClass(name: string): MachineClass | undefined;
  /** Machines that name a class, also those that are being deleted. */
  machinesOf(className: string): readonly KubeObject[];
  /** Whether there is a Machine of this name, one that is being deleted included. */
  isMachine(name: string): boolean;
  /** Machines that name a Cluster, also those that are being deleted. */
  machinesIn(cluster: string): readonly KubeObject[];
  /** Whether there is a Cluster of this name. */
  cluster(name: string): Existence;
  /** Every MachineSet. */
  sets(): readonly MachineSet[];
  /** A MachineSet or MachineDeployment by its kind and name. */
  templated(kind: string, name: string): MachineSet | MachineDeployment | undefined;
  /** Names of all drivers that are registered. */
  readonly drivers: readonly string[];
  /** What a driver publishes; undefined when none of that name is registered. */
  provider(name: string): Provider | undefined;
}

/** Whether there is a Cluster; `unserved` when its kind is not installed, so that nobody can tell. */
export type Existence = 'present' | 'terminating' | 'missing' | 'unserved';

/** The facts of a namespace as they are now. */
export type LookUp = (namespace: string) => Facts;

/** Something was looked up before it was known. */
export class NotYetKnown extends Error {
  override name = 'NotYetKnown';
}
