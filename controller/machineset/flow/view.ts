import type { Machine } from '../../../schemas/machine.ts';
import type { MachineSet } from '../../../schemas/machineset.ts';
import type { FreezeAction } from '../../model/freeze.ts';
import type { ClusterFact } from '../../model/readiness.ts';
import type { KubeObject } from '../../runtime/k8s/object.ts';
import type { Effects, Gate } from '../../safety/outage/gate.ts';

/** Everything that one decision about a MachineSet needs, read once. Times are milliseconds. */
export interface MachineSetView {
  now: number;
  /** Whether anything may be taken away now. */
  gate: Gate;
  cluster: ClusterFact;
  set: MachineSet;
  /** Machines that the set controls by owner reference and whose labels its selector matches. */
  machines: readonly Machine[];
  /** Machines that the set controls, but that its selector no longer matches. */
  strays: readonly Machine[];
  /** Those of them that are let go just now, or were. */
  releasing?: readonly Machine[];
  /** Machines without a controller, or with a namesake of the set before it, whose labels the selector matches. */
  orphans: readonly Machine[];
  /** How much other sets of the deployment take of its replicas + maxSurge (siblings.ts); Infinity where that is too much work to find out. */
  takenBySiblings: number;
  /** How many machines of theirs among it no cache shows yet. */
  siblingBirths: number;
  /**
   * The set's machines by UID, of which only the metadata is there, as the API server itself has them; absent as long as it was not asked,
   * which is done where marks tell who goes (scaledown.ts).
   */
  listed?: ReadonlyMap<string, KubeObject>;
  /** Its own machines that it asked for and that no cache shows yet (births.ts). */
  births: number;
  preserving: Preserving;
  overshoot: OvershootLimits;
  /** Its deployment is frozen. */
  deploymentFrozen: boolean;
  /** Machines that a scaler marked up to this moment go; NaN when there is none. */
  victimsUntil: number;
  /** A driver here serves the template's class, so its machines are born with the finalizer. */
  served: boolean;
  /** The class as its machines remember it; absent without a class. */
  record?: string;
  /** Hot fields of that class, as canonical JSON; undefined when its driver updates nothing. */
  hot?: string;
  /** What the API server has just refused to do to machines (../../flow/refusals.ts): it holds up nothing else. */
  refused: ReadonlySet<string>;
  /** Changes the names of machines to make, after a name turned out to be somebody else's. */
  salt: number;
}

/** How Failed machines are preserved: in a deployment its sets share one budget. */
export interface Preserving {
  /** Most machines that are preserved without anybody asking. */
  most: number;
  /** Machines of all sets that share the budget and are preserved so. */
  counted: readonly Machine[];
  /** Failed machines of these sets that nobody has said anything about. */
  candidates: readonly Machine[];
  /** Failed machines of this set that are to be preserved, by whose word ever. */
  wished: ReadonlySet<Machine>;
}

/** What can be done for a MachineSet; `machineset/actions.ts` knows how. */
export type MachineSetAction =
  | FreezeAction
  | { do: 'addFinalizer' }
  | { do: 'adopt'; machines: readonly Machine[] }
  | { do: 'release'; machines: readonly Machine[] }
  | { do: 'propagate'; machines: readonly Machine[] }
  /** Annotations of machines; null takes one off. */
  | { do: 'annotate'; machines: readonly Machine[]; annotations: Readonly<Record<string, string | null>> }
  | { do: 'create'; names: readonly string[] }
  | { do: 'delete'; machines: readonly Machine[] }
  | { do: 'removeFinalizer' };

/** How many machines are too many (hack/spec/mcm.md 8.1). */
export interface OvershootLimits {
  /** Machines above replicas and surge that are let pass: `--safety-up`. */
  up: number;
  /** How many less than the most end a freeze: `--safety-down`. */
  down: number;
  /** How long a freeze lasts at least, milliseconds: `--machine-safety-overshooting-period`. */
  periodMs: number;
}

/** What each action does to the machines of a set. */
export const effects: Effects<MachineSetAction, MachineSetView> = {
  addFinalizer: 'harmless',
  markSelf: 'harmless',
  tellFreeze: 'harmless',
  adopt: 'harmless',
  release: 'harmless',
  propagate: 'harmless',
  annotate: 'harmless',
  create: 'makes',
  delete: 'destroys',
  // The last look for machines that the cache does not show deletes them.
  removeFinalizer: 'destroys',
};
