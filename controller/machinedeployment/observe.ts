import type { Cluster } from '../../schemas/cluster.ts';
import { LABEL_NODE } from '../../schemas/keys.ts';
import type { Machine } from '../../schemas/machine.ts';
import type { MachineClass } from '../../schemas/machineclass.ts';
import type { MachineDeployment } from '../../schemas/machinedeployment.ts';
import type { MachineSet } from '../../schemas/machineset.ts';
import { classOfMachine, type Lookup } from '../classrefs.ts';
import { isControlPlane, recordedOwner } from '../nodeowner.ts';
import { claim, nobodysIn } from '../ownership.ts';
import { clusterFact } from '../placing.ts';
import type { Cache } from '../runtime/cache.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Node } from '../runtime/core.ts';
import type { Gates } from '../safety/gates.ts';
import { openTargetOf, type Targets } from '../targets.ts';
import { vmEndsOf } from '../vmidentity.ts';
import type { RefusedNodes } from './refusednodes.ts';
import type { MachineDeploymentView, SetFact } from './view.ts';

/** Where the facts about MachineDeployments are read; sets and machines with the index `owner`, machines with `vm`, too. */
export interface MachineDeploymentSources {
  deployments: Cache<MachineDeployment>;
  sets: Cache<MachineSet>;
  machines: Cache<Machine>;
  classes: Cache<MachineClass>;
  /** By the provider that each serves. */
  drivers: { has(provider: string): boolean };
  targets: Targets;
  gates: Gates;
  clusters: Lookup<Cluster>;
  clock: Clock;
  refusedNodes: RefusedNodes;
  /** `--autoscaler-scaledown-annotation-during-rollout` */
  shieldsNodes: boolean;
}

/**
 * Everything that a decision about this MachineDeployment needs; undefined when there is no such deployment. Throws for one
 * without a spec, which MCM's CRD let be stored.
 */
export function observe(sources: MachineDeploymentSources, key: string): MachineDeploymentView | undefined {
  const deployment = sources.deployments.get(key);
  if (!deployment) return undefined;
  if (!deployment.spec) throw new Error(`MachineDeployment ${key} has no spec: give it one, or delete it`);
  const { namespace, uid = '' } = deployment.metadata;
  const unowned = sources.sets.by('owner', nobodysIn(namespace));
  const { matching, strays, orphans } = claim(deployment.spec.selector, {
    owned: sources.sets.by('owner', uid),
    unowned,
  });
  const sets = matching
    .sort(oldestFirst)
    .map((set) => ({ set, machines: sources.machines.by('owner', set.metadata.uid ?? '') }));
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
    shieldsNodes: sources.shieldsNodes,
    strays,
    orphans,
  };
}

/** The key of the class that the template names, if it names one. */
export const templateClassOf = ({ metadata, spec }: MachineDeployment): string =>
  `${metadata.namespace}/${spec?.template?.spec?.class?.name ?? ''}`;

/** Nodes that are not touched: a change was refused a moment ago, or nothing says yet that they are the machine's. */
function letAlone(
  sources: MachineDeploymentSources,
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

/**
 * Whether the Node may be touched for the machine. Who serves its class records whose the Node is; where that is another machine
 * controller, such as MCM's, nobody does, and label and providerID decide unless somebody else names the VM.
 */
function isTheirs(sources: MachineDeploymentSources, machine: Machine, node: Node): boolean {
  const owner = recordedOwner(node, machine);
  if (owner !== 'none') return owner === 'this';
  return isServedElsewhere(sources, machine) && !isControlPlane(node) && isOnlyOne(sources, machine);
}

function isServedElsewhere({ classes, drivers }: MachineDeploymentSources, machine: Machine): boolean {
  const found = classOfMachine(classes, machine);
  return found !== undefined && !drivers.has(found.provider ?? '');
}

const isOnlyOne = ({ machines }: MachineDeploymentSources, machine: Machine): boolean =>
  !vmEndsOf(machine)
    .flatMap((vm) => machines.by('vm', vm))
    .some(
      (other) => other.metadata.uid !== machine.metadata.uid && other.spec?.providerID === machine.spec?.providerID,
    );

function nodesOf({ targets }: MachineDeploymentSources, sets: readonly SetFact[]): MachineDeploymentView['nodes'] {
  const machines = sets.flatMap((fact) => fact.machines);
  const found = new Map<string, Node>();
  for (const machine of machines) {
    const node = openTargetOf(targets, machine)?.nodes.get(machine.metadata.labels?.[LABEL_NODE] ?? '');
    if (node && isNodeOf(machine, node)) found.set(machine.metadata.uid ?? '', node);
  }
  return machines.some((machine) => targets.of(machine).at === 'none') ? undefined : found;
}

/** A Node that only has the expected name is another's. */
const isNodeOf = ({ spec, status }: Machine, node: Node): boolean =>
  node.spec?.providerID ? node.spec.providerID === spec?.providerID : node.metadata.uid === status?.nodeRef?.uid;

function oldestFirst({ metadata: a }: MachineSet, { metadata: b }: MachineSet): number {
  const order = Date.parse(a.creationTimestamp ?? '') - Date.parse(b.creationTimestamp ?? '');
  return order || (a.name < b.name ? -1 : 1);
}
