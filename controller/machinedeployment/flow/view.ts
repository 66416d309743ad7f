import type { Machine } from '../../../schemas/machine.ts';
import type { MachineClass } from '../../../schemas/machineclass.ts';
import type { MachineDeployment } from '../../../schemas/machinedeployment.ts';
import type { MachineSet } from '../../../schemas/machineset.ts';
import type { Note } from '../../flow/reasons.ts';
import type { ToldRefusal } from '../../flow/refusals.ts';
import type { FreezeAction } from '../../model/freeze.ts';
import type { ClusterFact } from '../../model/readiness.ts';
import type { NodeChange } from '../../nodes/change.ts';
import type { Node } from '../../runtime/k8s/core.ts';
import type { Gate } from '../../safety/outage/gate.ts';
import type { Numbers } from './numbers.ts';

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
  shieldsNodes: boolean;
  /** Why its next step waits for an API server, once that is decided. */
  held?: string;
  /** What has just become of a set that was to be made, as the condition Progressing is to say. */
  making?: { status: 'True' | 'False'; reason: 'NewMachineSetCreated' | 'MachineSetCreateError'; message: string };
  /** What the API server refused of sets and machines a moment ago (willing.ts): they hold up nothing else. */
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

/** What can be done for a MachineDeployment; `apply.ts` knows how. */
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
