import { FROZEN, LABEL_CLUSTER, LABEL_FREEZE } from '../../../schemas/keys.ts';
import type { Machine } from '../../../schemas/machine.ts';
import type { MachineClass } from '../../../schemas/machineclass.ts';
import type { MachineDeployment } from '../../../schemas/machinedeployment.ts';
import type { MachineSet } from '../../../schemas/machineset.ts';
import type { ListedVm } from '../../drivers/sdk/driver.ts';
import { endOf } from '../../drivers/sdk/vmstatus.ts';
import { clusterOf, type Target, type Targets } from '../../model/target.ts';
import type { Host } from '../../nodes/host.ts';
import { controllerOf, type KubeObject, keyOf } from '../../runtime/k8s/object.ts';
import type { Cache } from '../../runtime/watch/cache.ts';
import type { Gate, Gates } from '../outage/gate.ts';
import { type Beside, claimsOf, namespaceOf, type SweepLimits, type SweepView } from './flow/plan.ts';

/** Where the facts about VMs without Machines are read. */
export interface OrphanSources extends Beside {
  /** With the indexes `class` and `vm`. */
  machines: Cache<Machine>;
  sets: Cache<MachineSet>;
  /** With the index `class`. */
  deployments: Cache<MachineDeployment>;
  incarnation: string;
  limits: SweepLimits;
  gates: Gates;
  /** The target cluster of an object. */
  targetOf: Targets['of'];
  /** The only namespace that is looked after; empty or absent for all. */
  namespace?: string;
  /** Where this process runs, as far as it knows. */
  host: Host | undefined;
  /** All clusters whose Nodes may be those of orphans. */
  targets(): Iterable<Pick<Target, 'api' | 'nodes' | 'cluster' | 'heartbeats'>>;
}

/** What a list was answered with, and what is known of earlier ones. */
export interface Listing {
  machineClass: MachineClass;
  vms: readonly ListedVm[];
  now: number;
  sightings: ReadonlyMap<string, number>;
  isLeaving(vm: ListedVm): boolean;
}

/** Everything that one sweep needs. */
export function observeSweep(sources: OrphanSources, { machineClass, ...listing }: Listing): SweepView {
  const { incarnation, limits } = sources;
  const machines = sources.machines.list();
  return {
    ...listing,
    ...classGate(clustersOf(sources, machineClass).map((one) => gateOf(sources, one))),
    incarnation,
    limits,
    claims: claimsOf(machines, machineClass, sources),
    isElsewhere: ({ owner }) => Boolean(sources.namespace && owner?.namespace && owner.namespace !== sources.namespace),
    isHost: hostVm(sources, machineClass),
    isFrozen: frozenVms(sources, machineClass, machines),
  };
}

/** One for each Cluster of the class's machines, and for the default target; of an unused class for all that its namespace names. */
function clustersOf({ machines, sets, deployments }: OrphanSources, machineClass: MachineClass): KubeObject[] {
  const key = keyOf(machineClass);
  const users = [...machines.by('class', key), ...deployments.by('class', key), ...sets.list().filter(isOf(key))];
  const { namespace } = machineClass.metadata;
  const others = () => [...machines.list(), ...sets.list(), ...deployments.list()];
  const named = users.length > 0 ? users : others().filter(({ metadata }) => metadata.namespace === namespace);
  const members = [memberOf(undefined), ...named].map((one): [string, KubeObject] => [clusterOf(one), one]);
  return [...new Map(members).values()];
}

/** What stands for the machines of a Cluster, or of the default target. */
export const memberOf = (cluster: Target['cluster']): KubeObject => ({
  metadata: { name: '', ...(cluster && { namespace: cluster.namespace, labels: { [LABEL_CLUSTER]: cluster.name } }) },
});

/** Behind a Cluster that cannot be read yet nobody knows what there is. */
function gateOf({ gates, targetOf }: OrphanSources, member: KubeObject): Gate {
  const fact = targetOf(member);
  return fact.at === 'opening'
    ? { shut: { unreachable: 'target', since: fact.since }, judgesFrom: 0 }
    : gates.of(member);
}

/** By class, for an orphan may be of any of its sets; and by name, for it may be the second VM of a Machine of another class there. */
function frozenVms(
  sources: OrphanSources,
  machineClass: MachineClass,
  machines: readonly Machine[],
): SweepView['isFrozen'] {
  const { sets, deployments } = sources;
  const key = keyOf(machineClass);
  if (deployments.by('class', key).some(isFrozen) || sets.list().filter(isOf(key)).some(isFrozen)) return () => true;
  const inFrozenSet = machines.filter((machine) => {
    const owner = controllerOf(machine);
    const set = owner && sets.get(`${machine.metadata.namespace}/${owner.name}`);
    return set !== undefined && isFrozen(set);
  });
  const frozen = new Set(inFrozenSet.map(keyOf));
  return (vm) => frozen.has(`${namespaceOf(vm, machineClass)}/${vm.machineName}`);
}

/** By the Node that has the host's name, in a cluster that the VM's namespace may join; one whose UID is known to be another's is not the host. */
function hostVm({ host, targets }: OrphanSources, machineClass: MachineClass): SweepView['isHost'] {
  const found = host ? [...targets()].map(({ nodes, cluster }) => ({ cluster, node: nodes.get(host.name) })) : [];
  const hosts = found.filter(({ node }) => node && (host?.uid === undefined || node.metadata.uid === host.uid));
  const isIts = (cluster: Target['cluster'], vm: ListedVm) =>
    !cluster || cluster.namespace === namespaceOf(vm, machineClass);
  return (vm) =>
    hosts.some(
      ({ node, cluster }) => isIts(cluster, vm) && endOf(node?.spec?.providerID ?? '') === endOf(vm.providerID),
    );
}

const isFrozen = ({ metadata }: KubeObject): boolean => metadata.labels?.[LABEL_FREEZE] === FROZEN;

const isOf =
  (classKey: string) =>
  ({ metadata, spec }: MachineSet): boolean =>
    `${metadata.namespace}/${spec?.template?.spec?.class?.name ?? ''}` === classKey;

/**
 * The gate of a class whose machines stand behind several: an orphan does not tell its Cluster, so it may be of each.
 * @param gates of every Cluster that the class's machines may be of
 */
export function classGate(gates: readonly Gate[]): Pick<SweepView, 'shut' | 'isBlind' | 'judgesFrom' | 'steppedAt'> {
  const [shut] = gates.flatMap((gate) => (gate.shut ? [gate.shut] : []));
  return {
    isBlind: gates.some((gate) => gate.shut?.unreachable === 'control'),
    shut: shut && `the API server of the ${shut.unreachable} cluster does not answer`,
    judgesFrom: Math.max(0, ...gates.map(({ judgesFrom }) => judgesFrom)),
    steppedAt: Math.max(0, ...gates.map(({ steppedAt = 0 }) => steppedAt)),
  };
}
