import type { Cluster } from '../../schemas/cluster.ts';
import { LABEL_NODE } from '../../schemas/keys.ts';
import type { Machine } from '../../schemas/machine.ts';
import type { MachineClass } from '../../schemas/machineclass.ts';
import type { MachineDeployment } from '../../schemas/machinedeployment.ts';
import type { MachineSet } from '../../schemas/machineset.ts';
import { oldestFirst } from '../../schemas/revisions.ts';
import { isOnlyKept } from '../../schemas/rules/machine.ts';
import type { Driver } from '../drivers/sdk/driver.ts';
import { endOf, sameVmBy, vmEndsOf } from '../drivers/sdk/vmstatus.ts';
import { classOfMachine, type Lookup, templateClassOf } from '../model/class.ts';
import { adoptable, childrenIn, sortChildren } from '../model/ownership.ts';
import { clusterFact } from '../model/readiness.ts';
import { nodeKeysOf, openTargetOf, type Targets } from '../model/target.ts';
import { isControlPlane, isNamed, recordedOwner } from '../nodes/owner.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Node } from '../runtime/k8s/core.ts';
import type { Cache } from '../runtime/watch/cache.ts';
import type { Gates } from '../safety/outage/gate.ts';
import type { Births } from '../state/births.ts';
import type { RefusedNodes } from './flow/rolloutnodes.ts';
import type { MachineDeploymentView, SetFact } from './flow/view.ts';

/** Where the facts about MachineDeployments are read; sets and machines with the index `owner`, machines with `vm`, too. */
export interface MachineDeploymentSources extends NodeSources {
  deployments: Cache<MachineDeployment>;
  sets: Cache<MachineSet>;
  gates: Gates;
  /** Of the sets. */
  births: Pick<Births, 'count'>;
  clusters: Lookup<Cluster>;
  clock: Clock;
  /** `--autoscaler-scaledown-annotation-during-rollout` */
  disablesScaleDown: boolean;
}

/** What the process knows of the deployment besides. */
type Known = Pick<MachineDeploymentView, 'refused' | 'refusal'>;

/**
 * Everything that a decision about this MachineDeployment needs; undefined when there is no such deployment. Throws for one
 * without a spec, which MCM's CRD let be stored.
 */
export function observe(
  sources: MachineDeploymentSources,
  key: string,
  known: Known,
): MachineDeploymentView | undefined {
  const deployment = sources.deployments.get(key);
  if (!deployment) return undefined;
  if (!deployment.spec) throw new Error(`MachineDeployment ${key} has no spec: give it one, or delete it`);
  const { matching, strays, orphans } = sortChildren(deployment, {
    owned: childrenIn(sources.sets, deployment),
    unowned: adoptable(sources.sets, deployment, 'MachineDeployment'),
  });
  const sets = matching
    .sort(oldestFirst)
    .map((set) => ({
      set,
      machines: childrenIn(sources.machines, set).filter((machine) => !isOnlyKept(machine)),
      births: sources.births.count(set),
    }))
    .filter(isLeft);
  const nodes = nodesOf(sources, sets);
  const now = sources.clock.now();
  const refusedNodes = letAlone(sources, sets, nodes);
  const found = sources.classes.get(templateClassOf(deployment));
  return {
    now,
    gate: sources.gates.of(deployment),
    cluster: clusterFact(sources, deployment),
    deployment,
    class: found,
    sets,
    nodes,
    refusedNodes,
    disablesScaleDown: sources.disablesScaleDown,
    strays,
    orphans,
    ...known,
  };
}

/** Something is left of the set but the object, which the finalizer of somebody else keeps (hack/decisions/0051 L105). */
const isLeft = ({ set, machines, births }: SetFact): boolean =>
  !isOnlyKept(set) || machines.length > 0 || (births ?? 0) > 0;

/** Where the facts about Nodes are read; machines with the index `vm`. */
export interface NodeSources {
  machines: Cache<Machine>;
  classes: Cache<MachineClass>;
  /** By the provider that each serves. */
  drivers: ReadonlyMap<string, Pick<Driver, 'isSameVm'>>;
  targets: Targets;
  clock: Pick<Clock, 'monotonic'>;
  refusedNodes: RefusedNodes;
}

/** The machines' Nodes, by UID of the machine; undefined where some join no cluster. */
export function nodesOf(sources: NodeSources, sets: readonly SetFact[]): MachineDeploymentView['nodes'] {
  const { targets, drivers } = sources;
  const machines = sets.flatMap((fact) => fact.machines);
  const isSameVm = sameVmBy(drivers.values());
  const isNodeOf = (machine: Machine, node: Node) =>
    recordedOwner(node, machine) === 'this' || hasVmOf(machine, node, isSameVm) || isTakenFor(sources, machine, node);
  const found = new Map<string, Node>();
  for (const machine of machines) {
    const node = openTargetOf(targets, machine)?.nodes.get(machine.metadata.labels?.[LABEL_NODE] ?? '');
    if (node && isNodeOf(machine, node)) found.set(machine.metadata.uid ?? '', node);
  }
  return machines.some((machine) => targets.of(machine).at === 'none') ? undefined : found;
}

/** UIDs of Nodes that are not touched: a change was refused a moment ago, or nothing says yet that they are the machine's. */
export function letAlone(
  sources: NodeSources,
  sets: readonly SetFact[],
  nodes: MachineDeploymentView['nodes'],
): Set<string> {
  const { refusedNodes, clock } = sources;
  const isFree = (node: Node, machine: Machine) =>
    !refusedNodes.has(node.metadata.uid ?? '', clock.monotonic()) && isTheirs(sources, machine, node);
  const found = sets.flatMap(({ machines }) =>
    machines.flatMap((machine) => {
      const node = nodes?.get(machine.metadata.uid ?? '');
      return node && !isFree(node, machine) ? [node.metadata.uid ?? ''] : [];
    }),
  );
  return new Set(found);
}

/** It is that of the machine's VM, in the same words or as a driver says: a Node that only has the expected name is another's. */
function hasVmOf({ spec, status }: Machine, node: Node, isSameVm: (one: string, other: string) => boolean): boolean {
  const id = node.spec?.providerID;
  if (!id) return node.metadata.uid === status?.nodeRef?.uid;
  return spec?.providerID !== undefined && isSameVm(spec.providerID, id);
}

/**
 * No driver here knows how the cloud of another machine controller writes its ids, and its Nodes may have others, as AWS's do: one
 * that it has named and whose id ends alike is taken for the machine's. So is one that has no id, if it is the Node of no other
 * machine: where no cloud provider writes one, the two names are all that MCM itself goes by (hack/spec/mcm.md 2.3).
 */
const isTakenFor = (sources: NodeSources, machine: Machine, node: Node): boolean =>
  isAnothers(sources, machine, node) &&
  (node.spec?.providerID ? endsAlike(machine, node) : namesNodeAlone(sources, machine));

const endsAlike = ({ spec }: Machine, node: Node): boolean =>
  Boolean(spec?.providerID) && endOf(spec?.providerID ?? '') === endOf(node.spec?.providerID ?? '');

/** No other machine of that target has its Node's name. */
const namesNodeAlone = ({ machines }: NodeSources, machine: Machine): boolean =>
  nodeKeysOf(machine)
    .flatMap((key) => machines.by('node', key))
    .every(({ metadata }) => metadata.uid === machine.metadata.uid);

/**
 * Whether the Node may be touched for the machine. Who serves its class records whose the Node is; where that is another machine
 * controller, such as MCM's, the name that it has written on the Node decides, unless somebody else names the VM.
 */
function isTheirs(sources: NodeSources, machine: Machine, node: Node): boolean {
  const owner = recordedOwner(node, machine);
  if (owner !== 'none') return owner === 'this';
  return isAnothers(sources, machine, node) && isOnlyOne(sources, machine, node);
}

/**
 * The machine is another machine controller's, which has written its name on the Node, and the Node is not that of a control plane. That no
 * driver here serves the class proves nothing: anybody can create a class of an unknown provider (hack/decisions/0028 T22).
 */
const isAnothers = (sources: NodeSources, machine: Machine, node: Node): boolean =>
  isServedElsewhere(sources, machine) && !isControlPlane(node) && isNamed(node, machine);

function isServedElsewhere({ classes, drivers }: NodeSources, machine: Machine): boolean {
  const found = classOfMachine(classes, machine);
  return found !== undefined && !drivers.has(found.provider ?? '');
}

/** Nobody else names the VM: in its words, or, where the Node has others, in any that end alike. */
function isOnlyOne({ machines }: NodeSources, machine: Machine, node: Node): boolean {
  const own = machine.spec?.providerID;
  const isExact = !node.spec?.providerID || node.spec.providerID === own;
  return !vmEndsOf(machine)
    .flatMap((vm) => machines.by('vm', vm))
    .some((other) => other.metadata.uid !== machine.metadata.uid && (!isExact || other.spec?.providerID === own));
}
