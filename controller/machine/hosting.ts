import { ANNOTATION_DELETE_HOST, LABEL_NODE } from '../../schemas/keys.ts';
import type { Machine } from '../../schemas/machine.ts';
import { wait } from '../flow.ts';
import type { Host } from '../host.ts';
import type { Answer } from './calling.ts';
import type { MachineView, NodeFact } from './view.ts';

/** How soon it is looked whether the process still runs there (CKV A1.8, FIX: at least 30 s). */
const HOSTED_MS = 30_000;

/** What is known of a Node in these cases says that it is not the host. */
const ELSEWHERE: ReadonlySet<NodeFact['at']> = new Set(['none', 'absent', 'foreign']);

/** This process runs on the Machine's Node, or that cannot be ruled out (CKV A1.8, L3; decisions 7). */
export function isHost(host: Host | undefined, { machine, node }: { machine: Machine; node: NodeFact }): boolean {
  if (!host || machine.metadata.labels?.[LABEL_NODE] !== host.name) return false;
  if (node.at === 'present') return host.uid === undefined || node.uid === host.uid;
  return !ELSEWHERE.has(node.at);
}

/** The VM stays while this process runs on it: whoever leads elsewhere, once the pod has left, deletes it. */
export function hosted({ isHost: hosts, machine }: MachineView): Answer | undefined {
  const { annotations, labels } = machine.metadata;
  if (!hosts || annotations?.[ANNOTATION_DELETE_HOST] === 'true') return undefined;
  const message = `this controller runs on Node "${labels?.[LABEL_NODE]}": a replica elsewhere deletes the VM, or this one if the annotation ${ANNOTATION_DELETE_HOST} is "true"`;
  return wait('HostsController', HOSTED_MS, message);
}
