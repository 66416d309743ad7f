import type { MachineClass } from '../../../schemas/machineclass.ts';
import type { ListedVm } from '../../driver.ts';
import { lacking } from '../../nodechange.ts';
import { claiming, type NodeOwner } from '../../nodeowner.ts';
import { changeNode, removeNode } from '../../nodewrites.ts';
import { eventOf } from '../../reasons.ts';
import { nodes } from '../../runtime/core.ts';
import type { Events } from '../../runtime/events.ts';
import type { Log } from '../../runtime/log.ts';
import type { Metrics } from '../../runtime/metrics.ts';
import { keyOf } from '../../runtime/object.ts';
import { endOf } from '../../vmidentity.ts';
import { unlessGone } from '../../writes.ts';
import type { OrphanSources } from './observe.ts';
import { goesWithVm, type OrphanNodeFacts } from './orphannode.ts';
import { mayLive, orphanRecord, readOrphanRecord } from './orphanrecord.ts';
import { orphanEvents } from './reasons.ts';

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
  const annotations = orphanRecord(orphan.vm, orphan.machineClass);
  for (const { target, facts } of placesOf(parts, orphan)) {
    const due = target.nodes.list().filter((one) => goesWithVm(facts, one) && lacking(one, { annotations }));
    for (const node of due)
      await changeNode(target, node, claiming(ownerOf(orphan), node, { annotations })).catch((error) => {
        const fields = { class: keyOf(orphan.machineClass), node: node.metadata.name, error };
        parts.log.info('that its VM is deleted was not noted on the Node of an orphan', fields);
      });
  }
}

/** VMs that were to be deleted as orphans of the class, by what Nodes say of them. */
export function notedDeletions({ targets }: OrphanNodesParts, machineClass: MachineClass): ListedVm[] {
  const key = keyOf(machineClass);
  const mayHold = [...targets()].filter(
    ({ cluster }) => !cluster || cluster.namespace === machineClass.metadata.namespace,
  );
  const noted = mayHold.flatMap((target) => target.nodes.list().map(readOrphanRecord));
  const vms = noted.flatMap((record) => (record?.classKey === key ? [record.vm] : []));
  return [...new Map(vms.map((vm) => [vm.providerID, vm])).values()];
}

/**
 * The Node was the VM's, and nobody else will delete it (MCM 13.17). `doubting`: that the VM was deleted is known from the Node
 * alone, so that one which may be alive stays.
 */
export async function deleteNodes(parts: OrphanNodesParts, orphan: Orphan, { doubting = false } = {}): Promise<void> {
  const { metrics, events } = parts;
  for (const { target, facts } of placesOf(parts, orphan)) {
    for (const { metadata } of target.nodes.list().filter((one) => goesWithVm(facts, one))) {
      const node = await unlessGone(target.api.get(nodes, metadata));
      if (!node || !goesWithVm(facts, node)) continue;
      if (doubting && mayLive(node, target.heartbeats?.isSilent(node) ?? false)) continue;
      await removeNode(target, node, ownerOf(orphan));
      metrics.count('drover_orphan_nodes_deleted_total');
      const note = `Node ${metadata.name} is deleted with its VM ${orphan.vm.providerID}, which had no Machine`;
      events.record(orphan.machineClass, eventOf(orphanEvents, 'OrphanNodeDeleted', note));
    }
  }
}

/** Every cluster, and what is known when Nodes of the VM are looked for in it. */
function placesOf({ targets, machines }: OrphanNodesParts, { vm, machineClass }: Orphan) {
  const isNamed = (id: string) => machines.by('vm', endOf(id)).some(({ spec }) => spec?.providerID === id);
  return [...targets()].map((target) => {
    const facts: OrphanNodeFacts = { vm, machineClass, cluster: target.cluster, isNamed };
    return { target, facts };
  });
}

/** The Machine is gone: what is known of it. */
const ownerOf = ({ vm, machineClass }: Orphan): NodeOwner => ({
  metadata: {
    name: vm.machineName,
    ...(machineClass.metadata.namespace && { namespace: machineClass.metadata.namespace }),
  },
});
