import { NODE_FINALIZER } from '../../../schemas/keys.ts';
import type { Machine } from '../../../schemas/machine.ts';
import type { MachineClass } from '../../../schemas/machineclass.ts';
import type { ListedVm } from '../../drivers/sdk/driver.ts';
import { endOf } from '../../drivers/sdk/vmstatus.ts';
import { eventOf } from '../../flow/flow.ts';
import { removeFinalizer, unlessGone } from '../../framework/writer.ts';
import type { Target } from '../../model/target.ts';
import { lacking } from '../../nodes/change.ts';
import { byDeletion, deletionNote, type NodeOwner, notedVm, recordingOwner } from '../../nodes/owner.ts';
import { changeNode, removeNode } from '../../nodes/write.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Events } from '../../runtime/events/events.ts';
import { type Node, nodes } from '../../runtime/k8s/core.ts';
import { keyOf } from '../../runtime/k8s/object.ts';
import type { Log } from '../../runtime/observability/log.ts';
import type { Metrics } from '../../runtime/observability/metrics.ts';
import { tryAll } from '../../runtime/queue/batches.ts';
import type { Cache } from '../../runtime/watch/cache.ts';
import type { Gates } from '../outage/gate.ts';
import { goesWithVm, mayLive, type NodesView, nodeClaimsOf, nodeMark, type OrphanNodeFacts } from './flow/nodeplan.ts';
import { type Beside, orphanEvents } from './flow/plan.ts';
import { memberOf, type OrphanSources } from './observe.ts';

/** What a sweep over Nodes needs. */
export interface NodeSweepParts extends Pick<Beside, 'isCreating'> {
  machines: Cache<Machine>;
  /** All clusters whose Nodes are looked at. */
  targets(): Iterable<Swept>;
  gates: Gates;
  clock: Clock;
  log: Log;
  namespace: string;
  /** See {@link NodesView}. */
  creationMs: number;
}

/** Most Nodes of one cluster that a sweep marks; the others have their turn in the next one. */
const MOST = 1_000;

/** A cluster whose Nodes are swept. */
type Swept = Pick<Target, 'api' | 'nodes' | 'cluster'>;

/** The key of a cluster whose Nodes are swept: namespace/name, empty for the default target. */
export const sweepKey = ({ cluster }: Pick<Target, 'cluster'>): string => (cluster ? keyOf({ metadata: cluster }) : '');

/** Marks the Nodes of a cluster that no Machine has, if it answers; one that is followed no more has none. */
export async function sweepNodes(parts: NodeSweepParts, key: string): Promise<void> {
  const { machines, clock, namespace, creationMs, log } = parts;
  const target = [...parts.targets()].find((one) => sweepKey(one) === key);
  if (!target) return;
  const { shut, steppedAt = 0 } = parts.gates.of(memberOf(target.cluster));
  if (shut) return;
  const claims = nodeClaimsOf(machines.list(), parts);
  try {
    await markNodes(target, { now: clock.now(), steppedAt, claims, namespace, creationMs });
  } catch (error) {
    log.warn('Nodes without a Machine were not marked', { error });
  }
}

/** A Node that somebody just changed, or that may not be changed, keeps no other from being marked. */
async function markNodes(target: Swept, view: NodesView): Promise<void> {
  const on = { api: target.api, resource: nodes, cache: target.nodes };
  const due = target.nodes.list().flatMap((node) => {
    const mark = nodeMark(node, view);
    return mark ? [{ node, mark }] : [];
  });
  const [failure] = await tryAll(due.slice(0, MOST), async ({ node, mark }) => {
    if (mark.release) await removeFinalizer(on, node, NODE_FINALIZER);
    await changeNode(target, node, mark.change);
  });
  if (failure) throw failure.error;
}

/** What it takes to write on Nodes of orphans. */
export interface OrphanNodesParts extends Pick<OrphanSources, 'targets' | 'machines'> {
  events: Pick<Events, 'record'>;
  log: Log;
  metrics: Metrics;
}

/** An orphan, and the class whose list showed it. */
export interface Orphan {
  vm: ListedVm;
  machineClass: MachineClass;
}

/** Notes on the Nodes of a VM that it is to be deleted, for whoever takes over. A Node that cannot be written holds up nothing. */
export async function noteDeletion(parts: OrphanNodesParts, orphan: Orphan): Promise<void> {
  const annotations = deletionNote(orphan.machineClass);
  for (const { target, facts } of placesOf(parts, orphan)) {
    const all = target.nodes.by('vm', orphan.vm.providerID);
    const due = all.filter((one) => goesWithVm(facts, one) && lacking(one, { annotations }));
    for (const node of due)
      await changeNode(target, node, recordingOwner(ownerOf(orphan), node, { annotations })).catch((error) => {
        const fields = { class: keyOf(orphan.machineClass), node: node.metadata.name, error };
        parts.log.info('that its VM is deleted was not noted on the Node of an orphan', fields);
      });
  }
}

/** A Node that says that its VM was to be deleted as an orphan of a class, and where it is. */
export interface NotedNode {
  place: Place;
  node: Node;
  vm: ListedVm;
}

/** Nodes that say so of a class, in the clusters where Nodes of its namespace may be. */
export function notedNodes(parts: OrphanNodesParts, machineClass: MachineClass): NotedNode[] {
  const key = keyOf(machineClass);
  const { namespace } = machineClass.metadata;
  const mayHold = [...parts.targets()].filter(({ cluster }) => !cluster || cluster.namespace === namespace);
  return mayHold.flatMap((target) =>
    target.nodes.by('deletion', key).flatMap((node) => {
      const vm = notedVm(node);
      return vm ? [{ place: placeOf(parts, { vm, machineClass }, target), node, vm }] : [];
    }),
  );
}

/** The Node was the VM's, and nobody else will delete it (hack/spec/mcm.md 13.17). */
export async function deleteNodes(parts: OrphanNodesParts, orphan: Orphan): Promise<void> {
  for (const place of placesOf(parts, orphan)) {
    const all = place.target.nodes.by('vm', orphan.vm.providerID);
    for (const { metadata } of all.filter((one) => goesWithVm(place.facts, one))) {
      const node = await unlessGone(place.target.api.get(nodes, metadata));
      if (node && goesWithVm(place.facts, node)) await deleteNode(parts, place, node);
    }
  }
}

/** Deletes that Node and no other, if it still says so: that the VM was deleted is known from it alone, so that one which may be alive stays. */
export async function deleteNoted(parts: OrphanNodesParts, { place, node: { metadata } }: NotedNode): Promise<void> {
  const { target, facts } = place;
  const node = await unlessGone(target.api.get(nodes, metadata));
  const isNoted = node && byDeletion(node).includes(keyOf(facts.machineClass)) && goesWithVm(facts, node);
  if (!isNoted || mayLive(node, target.heartbeats?.isSilent(node) ?? false)) return;
  await deleteNode(parts, place, node);
}

async function deleteNode({ metrics, events }: OrphanNodesParts, { target, facts }: Place, node: Node): Promise<void> {
  const { vm, machineClass } = facts;
  await removeNode(target, node, ownerOf(facts));
  metrics.count('drover_orphaned_nodes_deleted_total');
  const note = `Node ${node.metadata.name} is deleted with its VM ${vm.providerID}, which had no Machine`;
  events.record(machineClass, eventOf(orphanEvents, 'OrphanedNodeDeleted', note));
}

/** A cluster, and what is known when Nodes of the VM are looked for in it. */
interface Place {
  target: OrphanTarget;
  facts: OrphanNodeFacts;
}

type OrphanTarget = ReturnType<OrphanSources['targets']> extends Iterable<infer T> ? T : never;

const placesOf = (parts: OrphanNodesParts, orphan: Orphan): Place[] =>
  [...parts.targets()].map((target) => placeOf(parts, orphan, target));

function placeOf({ machines }: OrphanNodesParts, { vm, machineClass }: Orphan, target: OrphanTarget): Place {
  const isNamed = (id: string) => machines.by('vm', endOf(id)).some(({ spec }) => spec?.providerID === id);
  return { target, facts: { vm, machineClass, cluster: target.cluster, isNamed } };
}

/** The Machine is gone: what is known of it. */
const ownerOf = ({ vm, machineClass }: Orphan): NodeOwner => ({
  metadata: {
    name: vm.owner?.name ?? vm.machineName,
    ...(machineClass.metadata.namespace && { namespace: machineClass.metadata.namespace }),
  },
});
