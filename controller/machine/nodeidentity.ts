import type { Machine } from '../../schemas/machine.ts';
import type { Node } from '../runtime/core.ts';

/**
 * Whether a Node is that of the Machine's VM: by providerID, of which clouds write the beginning in several ways
 * (MCM 9.1: it should equal the Node's). A Node that carries none is that of the Machine of its name unless it was there
 * before.
 */
export function isNodeOf(machine: Machine, node: Node): boolean {
  const theirs = node.spec?.providerID;
  if (!theirs) return !isOlder(node, machine);
  const own = machine.spec?.providerID;
  return Boolean(own) && (theirs === own || (lastPart(theirs) !== '' && lastPart(theirs) === lastPart(own ?? '')));
}

/** Another VM's Node that was there before the Machine, and stays: the new VM's Node cannot take its place (MCM 6.4). */
export const isStale = (machine: Machine, node: Node): boolean =>
  Boolean(node.spec?.providerID) && isOlder(node, machine) && !node.metadata.deletionTimestamp;

const isOlder = (node: Node, machine: Machine): boolean =>
  Date.parse(node.metadata.creationTimestamp ?? '') < Date.parse(machine.metadata.creationTimestamp ?? '');

/** The id of the VM itself: `i-1` of `aws:///eu-west-1a/i-1`. */
const lastPart = (providerID: string): string => providerID.slice(providerID.lastIndexOf('/') + 1);
