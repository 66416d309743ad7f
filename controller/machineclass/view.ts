import type { MachineClass } from '../../schemas/machineclass.ts';
import type { Secret } from '../runtime/core.ts';

/** Everything that one decision about a MachineClass needs, counted anew at each look. */
export interface MachineClassView {
  object: MachineClass;
  /** Names of the Machines that are made from it, those on their way out included. */
  users: readonly string[];
  /** Until when a VM may come of a machine that has gone, milliseconds, as the class says; it stays until a sweep takes that off. */
  vmUntil?: number;
  /** A driver here serves its provider. */
  served: boolean;
}

/** Everything that one decision about a Secret needs, counted anew at each look. */
export interface SecretView {
  object: Secret;
  /** Machines, as namespace/name, whose class names it, or that remember a class which does. */
  users: readonly string[];
  /** The same of the classes that name it, the latest. */
  vmUntil?: number;
  /** A class that no driver here serves names it: whoever serves that may need the finalizer. */
  shared: boolean;
}

/** What can be done for either. */
export type HoldAction = { do: 'addFinalizer' } | { do: 'removeFinalizer' };
