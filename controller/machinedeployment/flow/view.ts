import { ANNOTATION_DESIRED, ANNOTATION_MAX } from '../../../schemas/keys.ts';
import type { Machine } from '../../../schemas/machine.ts';
import type { MachineClass } from '../../../schemas/machineclass.ts';
import type { MachineDeployment } from '../../../schemas/machinedeployment.ts';
import type { MachineSet } from '../../../schemas/machineset.ts';
import type { Note } from '../../flow/flow.ts';
import type { ToldRefusal } from '../../flow/refusals.ts';
import type { FreezeAction } from '../../model/freeze.ts';
import { availableIn, isPreservedFailed, replicasOf } from '../../model/machine.ts';
import type { ClusterFact } from '../../model/readiness.ts';
import type { NodeChange } from '../../nodes/change.ts';
import type { Node } from '../../runtime/k8s/core.ts';
import type { Effects, Gate, Gating } from '../../safety/outage/gate.ts';

/** One MachineSet of a deployment with the machines that it controls. */
export interface SetFact {
  set: MachineSet;
  machines: readonly Machine[];
  /** Those that it asked for and that are not among them yet (births.ts). */
  births?: number;
}

/** Everything that one decision about a MachineDeployment needs, read once. Times are milliseconds. */
export interface MachineDeploymentView {
  now: number;
  /** Whether anything may be taken away now. */
  gate: Gate;
  cluster: ClusterFact;
  deployment: MachineDeployment;
  /** The class that its template names, if it is there. */
  class: MachineClass | undefined;
  /** Sets that the deployment controls and its selector matches, oldest first. */
  sets: readonly SetFact[];
  /** Nodes of the sets' machines by the machine's UID; undefined when there is no target cluster. */
  nodes: ReadonlyMap<string, Node> | undefined;
  /** UIDs of Nodes whose change was just refused. */
  refusedNodes: ReadonlySet<string>;
  /** An autoscaler is kept from Nodes while machines are rolled. */
  disablesScaleDown: boolean;
  /** Why its next step waits for an API server, once that is decided. */
  held?: string;
  /** What has just become of a set that was to be made, as the condition Progressing is to say. */
  making?: { status: 'True' | 'False'; reason: 'NewMachineSetCreated' | 'MachineSetCreateError'; message: string };
  /** What the API server has just refused to do to sets and machines (`amongWilling`): it holds up nothing else. */
  refused: ReadonlySet<string>;
  /** What people are told of that; absent where that may have been chance. */
  refusal?: ToldRefusal | undefined;
  strays: readonly MachineSet[];
  orphans: readonly MachineSet[];
}

/** A set's new size and what its annotations say of the deployment's. */
export interface Scaling {
  set: MachineSet;
  replicas: number;
}

/** Annotations that a machine is to have. */
export interface Mark {
  machine: Machine;
  annotations: Readonly<Record<string, string>>;
}

/** A change of a machine; fails when it is another one than was seen. */
export interface MachinePatch {
  machine: Machine;
  metadata: object;
}

/** What is to be different at a machine's Node. */
export interface NodeMark {
  machine: Machine;
  node: Node;
  change: NodeChange;
}

/** A view with what every step of a rollout asks for. */
export interface Sorted extends MachineDeploymentView {
  numbers: Numbers;
  /** The set of the present template. */
  newSet: SetFact;
  /** Oldest first. */
  oldSets: readonly SetFact[];
}

/** What can be done for a MachineDeployment; `machinedeployment/actions.ts` knows how. */
export type MachineDeploymentAction =
  | FreezeAction
  | { do: 'addFinalizer' }
  | { do: 'adopt'; sets: readonly MachineSet[] }
  | { do: 'release'; sets: readonly MachineSet[] }
  | { do: 'createSet'; set: MachineSet }
  | { do: 'patchSet'; set: MachineSet; patch: object }
  | { do: 'scale'; scalings: readonly Scaling[] }
  /** Annotations of the deployment; null takes one off. */
  | { do: 'annotate'; annotations: Readonly<Record<string, string | null>> }
  /** These annotations take the place of `spec.deleteMachines`; fails when the deployment is another one than was seen. Null takes one off. */
  | { do: 'takeVictims'; annotations: Readonly<Record<string, string | null>> }
  | { do: 'mark'; marks: readonly Mark[] }
  /** `mayFail`: what the API server refuses holds up nothing. */
  | { do: 'markNodes'; marks: readonly NodeMark[]; mayFail?: true }
  /** Changes of the machines themselves, each as a merge patch. */
  | { do: 'patchMachines'; patches: readonly MachinePatch[] }
  | { do: 'recordRevision'; revision: string }
  /** `note` tells on the deployment what came of it. */
  | { do: 'rollBack'; patch: { metadata: object; spec: object }; note: Note }
  | { do: 'deleteSets'; sets: readonly MachineSet[] }
  | { do: 'removeFinalizer' };

/** How many machines a deployment wants, and how far a rollout may stray from that (hack/spec/mcm.md 4.5). */
export interface Numbers {
  replicas: number;
  /** Machines above `replicas`. */
  surge: number;
  /** Machines that may be missing from `replicas`. */
  unavailable: number;
}

type CountOrPercent = number | string | undefined;

/**
 * Resolves the deployment's strategy against its replicas: surge rounded up, unavailable down, never both 0. An update in
 * place by hand makes no machines above (hack/spec/mcm.md 4.5).
 */
export function numbersOf({ spec }: MachineDeployment): Numbers {
  const replicas = spec.replicas ?? 0;
  const { type = 'RollingUpdate', rollingUpdate, inPlaceUpdate } = spec.strategy ?? {};
  const block = type === 'InPlaceUpdate' ? inPlaceUpdate : rollingUpdate;
  if (type === 'Recreate') return { replicas, surge: 0, unavailable: 0 };
  const manual = type === 'InPlaceUpdate' && inPlaceUpdate?.orchestrationType === 'Manual';
  return { replicas, ...resolve(replicas, manual ? 0 : (block?.maxSurge ?? 1), block?.maxUnavailable ?? 0) };
}

/** Surge and unavailable in machines (hack/spec/mcm.md Annex B, fenceposts). */
export function resolve(
  replicas: number,
  maxSurge: CountOrPercent,
  maxUnavailable: CountOrPercent,
): Omit<Numbers, 'replicas'> {
  const surge = share(maxSurge, replicas, Math.ceil);
  const unavailable = share(maxUnavailable, replicas, Math.floor);
  const stuck = surge === 0 && unavailable === 0;
  return { surge, unavailable: Math.min(replicas, stuck ? 1 : unavailable) };
}

function share(value: CountOrPercent, replicas: number, round: (value: number) => number): number {
  if (typeof value === 'number') return value;
  const percent = Number.parseInt(value ?? '0', 10) || 0;
  return round((percent * replicas) / 100);
}

/** How many machines a set wants. */
export const specReplicas = ({ set }: SetFact): number => replicasOf(set);

/** How many of a set's machines are available. */
export const availableOf = ({ set, machines }: SetFact, now: number): number =>
  machines.filter((machine) => availableIn(set, machine, now) === 0).length;

/** How many of a set's machines Failed and are kept: they count as replicas, and are not available (hack/spec/mcm.md 6.12). */
export const preservedOf = ({ machines }: SetFact, now: number): number =>
  machines.filter((machine) => isPreservedFailed(machine, now)).length;

/** How many machines of these sets have to be available at least; those that are kept for inspection are not asked for. */
export const leastAvailable = ({ replicas, unavailable }: Numbers, sets: readonly SetFact[], now: number): number =>
  Math.max(0, replicas - unavailable - sum(sets, (fact) => preservedOf(fact, now)));

/** Adds up a number of each item. */
export const sum = <T>(items: readonly T[], number: (item: T) => number): number =>
  items.reduce((total, item) => total + number(item), 0);

/** The annotations that tell a later pass for which size of the deployment a set was scaled. */
export const sizeAnnotations = ({ replicas, surge }: Numbers): Record<string, string> => ({
  [ANNOTATION_DESIRED]: String(replicas),
  [ANNOTATION_MAX]: String(replicas + surge),
});

/** A number that an annotation of the set holds, undefined when there is none. */
export function annotated({ set }: SetFact, key: string): number | undefined {
  const value = Number.parseInt(set.metadata.annotations?.[key] ?? '', 10);
  return Number.isNaN(value) ? undefined : value;
}

/** Machines of the set that no cache shows yet: they are there, or may come (births.ts). */
export const birthsOf = ({ births = 0 }: SetFact): number => births;

/** Nothing is there of the set's machines, and nothing may come that was asked for. */
export const isEmpty = (fact: SetFact): boolean => fact.machines.length + birthsOf(fact) === 0;

/** What each action does to the machines of a deployment. */
export const effects: Effects<MachineDeploymentAction, MachineDeploymentView> = {
  addFinalizer: 'harmless',
  markSelf: 'harmless',
  tellFreeze: 'harmless',
  adopt: 'harmless',
  release: 'harmless',
  // Beside machines of an older template this is the first step of a rollout.
  createSet: (_, { sets }) => (sets.some(({ machines }) => machines.length > 0) ? 'destroys' : 'makes'),
  patchSet: 'harmless',
  scale: ({ scalings }) =>
    scalings.some(({ set, replicas }) => replicas < (set.spec?.replicas ?? 0)) ? 'destroys' : 'makes',
  annotate: 'harmless',
  takeVictims: 'harmless',
  mark: 'harmless',
  markNodes: 'destroys',
  patchMachines: 'destroys',
  recordRevision: 'harmless',
  rollBack: 'destroys',
  deleteSets: 'destroys',
  removeFinalizer: 'destroys',
};

/** Steps of a rollout: none is taken, whatever it does. */
const ROLLING: ReadonlySet<string> = new Set([
  'RolledBack',
  'OldNodesTainted',
  'MachinesTransferred',
  'RolloutComplete',
  'HistoryCleanedUp',
]);

/** How the gate treats MachineDeployments. */
export const gating: Gating<MachineDeploymentAction, MachineDeploymentView> = {
  effects,
  judges: ({ step, outcome }) => outcome.kind === 'act' && ROLLING.has(step),
};
