import { newSetOf } from '../../controller/machinedeployment/flow/revision.ts';
import { view as deploymentView } from '../../controller/machinedeployment/flow/view.fixture.ts';
import { type MachineDeploymentView, numbersOf } from '../../controller/machinedeployment/flow/view.ts';
import { victimsUntil } from '../../controller/machineset/flow/scaledown.ts';
import { view as setView } from '../../controller/machineset/flow/view.fixture.ts';
import type { MachineSetView } from '../../controller/machineset/flow/view.ts';
import { type SetFact, takenBySiblings } from '../../controller/machineset/siblings.ts';
import { availableIn } from '../../controller/model/machine.ts';
import { lacking, type NodeChange, objectPatch, statusPatch } from '../../controller/nodes/change.ts';
import type { Node } from '../../controller/runtime/k8s/core.ts';
import { controllerOf, type KubeObject } from '../../controller/runtime/k8s/object.ts';
import type { Machine } from '../../schemas/machine.ts';
import type { MachineDeployment } from '../../schemas/machinedeployment.ts';
import type { MachineSet } from '../../schemas/machineset.ts';
import { at, BORN } from '../fixtures/objects.ts';
import { mergePatched, strategicPatched } from '../world/patching.ts';

/** A deployment with its sets and machines, in memory: there are no caches, so that whoever plans sees what is. */
export class Herd {
  deployment: MachineDeployment;
  /** Oldest first. */
  sets: MachineSet[] = [];
  machines: Machine[] = [];
  /** Milliseconds since the epoch. */
  now = BORN;
  /** Most machines that the API server takes. */
  quota = Number.POSITIVE_INFINITY;
  /** Nodes by the UID of their machine; undefined where Nodes do not matter. */
  nodes: Map<string, Node> | undefined;
  #uids = 0;

  constructor(deployment: MachineDeployment) {
    this.deployment = deployment;
    if (deployment.spec.strategy?.type === 'InPlaceUpdate') this.nodes = new Map();
  }

  /** RFC 3339 of this moment, in whole seconds. */
  get timestamp(): string {
    return at(Math.floor((this.now - BORN) / 1000));
  }

  uid(): string {
    this.#uids += 1;
    return `uid-${this.#uids}`;
  }

  machinesOf({ metadata }: MachineSet): Machine[] {
    return this.machines.filter((machine) => controllerOf(machine)?.uid === metadata.uid);
  }

  facts(): SetFact[] {
    return this.sets.map((set) => ({ set, machines: this.machinesOf(set) }));
  }

  /** How many machines have a VM. */
  holding(): number {
    return this.machines.filter(({ status }) => status?.failureReason !== 'VMNotFound').length;
  }

  /** How many machines are available, by the word of the sets that they are of. */
  available(): number {
    return this.facts()
      .flatMap(({ set, machines }) => machines.map((machine) => availableIn(set, machine, this.now)))
      .filter((ms) => ms === 0).length;
  }

  /** Every machine is of the newest template, as many as wanted, and available. */
  settled(): boolean {
    const newest = newSetOf(this.deployment, this.facts())?.set;
    const { replicas } = numbersOf(this.deployment);
    const isNew = (machine: Machine) => controllerOf(machine)?.uid === newest?.metadata.uid;
    const complete = this.machines.length === replicas && this.available() === replicas;
    return complete && !this.deployment.spec.paused && this.machines.every(isNew);
  }

  /** The deployment as its planner sees it. */
  deploymentView(): MachineDeploymentView {
    const nodes = this.nodes && { nodes: this.nodes };
    return { ...deploymentView(this.deployment, this.facts()), now: this.now, ...nodes };
  }

  /** A set as its planner sees it. */
  setView(set: MachineSet): MachineSetView {
    const machines = this.machinesOf(set);
    const until = victimsUntil(set, this.deployment);
    const siblings = this.facts().filter((one) => one.set.metadata.uid !== set.metadata.uid);
    const takenBy = takenBySiblings(set, siblings);
    return setView({ now: this.now, set, machines, takenBySiblings: takenBy, victimsUntil: until });
  }

  /** A merge patch of the deployment. */
  patchDeployment(patch: object): void {
    this.deployment = patched(this.deployment, patch);
  }

  /** A merge patch of a set; a set that is gone gets none. */
  patchSet({ metadata }: MachineSet, patch: object): void {
    this.sets = this.sets.map((set) => (set.metadata.uid === metadata.uid ? patched(set, patch) : set));
  }

  /** A merge patch of a machine. */
  patchMachine({ metadata }: Machine, patch: object): void {
    this.machines = this.machines.map((one) => (one.metadata.uid === metadata.uid ? patched(one, patch) : one));
  }

  /** Changes the Node of a machine, if it has one. */
  changeNode({ metadata: { uid = '' } }: Machine, change: NodeChange): void {
    const before = this.nodes?.get(uid);
    const missing = before && lacking(before, change);
    if (!before || !missing) return;
    const after = mergePatched(before, objectPatch(before, missing) ?? {});
    this.nodes?.set(uid, strategicPatched(after, statusPatch(before, missing) ?? {}) as Node);
  }
}

/** As an API server does it: another spec is another generation. */
function patched<T extends KubeObject & { spec?: object | null }>(before: T, patch: object): T {
  const after = mergePatched(before, patch) as T;
  if (Bun.deepEquals(before.spec, after.spec)) return after;
  return { ...after, metadata: { ...after.metadata, generation: (before.metadata.generation ?? 1) + 1 } };
}
