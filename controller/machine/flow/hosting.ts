import { ANNOTATION_DELETE_HOST, LABEL_NODE } from '../../../schemas/keys.ts';
import type { Machine } from '../../../schemas/machine.ts';
import { wait } from '../../flow/flow.ts';
import type { Host } from '../../nodes/host.ts';
import type { Answer } from './drivercall.ts';
import type { MachineView, NodeFact } from './view.ts';

/** How soon it is looked whether the process still runs there (CKV A1.8, FIX: at least 30 s). */
const HOSTED_MS = 30_000;

/**
 * This process runs on the Machine's Node, or that cannot be ruled out (CKV A1.8, L3; decisions 7). A Node that is gone, or was
 * registered anew, rules nothing out: whoever deletes a Node ends no process on it.
 */
export function isHost(host: Host | undefined, { machine, node }: { machine: Machine; node: NodeFact }): boolean {
  if (!host || machine.metadata.labels?.[LABEL_NODE] !== host.name) return false;
  if (node.at === 'present') return isNodeOf(host, { uid: node.uid, bootID: node.object.status?.nodeInfo?.['bootID'] });
  // One that tells no id may be that of the VM all the same.
  if (node.at === 'foreign' && node.providerID !== '') return false;
  return isNodeOf(host, { uid: machine.status?.nodeRef?.uid });
}

/** UIDs are unique, and so are the boots of a machine; what is not known tells nothing. */
function isNodeOf(host: Host, node: { uid: string | undefined; bootID?: string | undefined }): boolean {
  if (!host.uid || !node.uid || host.uid === node.uid) return true;
  return Boolean(host.bootID) && host.bootID === node.bootID;
}

/** The VM stays while this process runs on it: whoever leads elsewhere, once the pod has left, deletes it. */
export function hosted({ isHost: hosts, machine }: MachineView): Answer | undefined {
  const { annotations, labels } = machine.metadata;
  if (!hosts || annotations?.[ANNOTATION_DELETE_HOST] === 'true') return undefined;
  const message = `this controller runs on Node "${labels?.[LABEL_NODE]}": a replica elsewhere deletes the VM, or this one if the annotation ${ANNOTATION_DELETE_HOST} is "true"`;
  return wait('HostsController', HOSTED_MS, message);
}
