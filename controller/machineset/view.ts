import type { Machine } from '../../schemas/machine.ts';
import type { MachineSet } from '../../schemas/machineset.ts';

/** Everything that one decision about a MachineSet needs, read once. Times are milliseconds. */
export interface MachineSetView {
  now: number;
  set: MachineSet;
  /** Machines that the set controls by owner reference and whose labels its selector matches. */
  machines: readonly Machine[];
  /** Machines that the set controls, but that its selector no longer matches. */
  strays: readonly Machine[];
  /** Machines without a controller whose labels the selector matches. */
  orphans: readonly Machine[];
  /** A driver here serves the template's class, so its machines are born with the finalizer. */
  served: boolean;
  /** Changes the names of machines to make, after a name turned out to be somebody else's. */
  salt: number;
}

/** What can be done for a MachineSet; `apply.ts` knows how. */
export type MachineSetAction =
  | { do: 'addFinalizer' }
  | { do: 'adopt'; machines: readonly Machine[] }
  | { do: 'release'; machines: readonly Machine[] }
  | { do: 'propagate'; machines: readonly Machine[] }
  | { do: 'create'; names: readonly string[] }
  | { do: 'delete'; machines: readonly Machine[] }
  | { do: 'removeFinalizer' };
